import { assumedFacts, type ModelFacts, type ProviderConnection, withTold } from '../../model.ts'

/**
 * The most that is asked of Ollama unless somebody chose otherwise, tokens. Models tell windows of 131,072 and more, but the
 * memory for them is taken as soon as they are asked for, and small machines do not have it.
 */
const MODEST_WINDOW = 16_384

/** Names of the models that Ollama has fetched, newest first. */
export async function ollamaNames(connection: ProviderConnection, milliseconds: number): Promise<readonly string[]> {
  const answer = (await connection.ask('/api/tags', milliseconds)) as { models?: readonly { name?: string }[] }
  return (answer.models ?? []).flatMap(({ name }) => (name ? [name] : []))
}

/**
 * What Ollama says of a model. Its owner chooses a window by `OLLAMA_CONTEXT_LENGTH`; the model's own `num_ctx` counts as a
 * choice too. Throws `HttpFailure` with 404 for a model that is not there.
 */
export async function ollamaFacts(
  connection: ProviderConnection,
  model: string,
  milliseconds: number,
): Promise<ModelFacts> {
  const told = (await connection.ask('/api/show', milliseconds, { model })) as {
    capabilities?: readonly string[]
    model_info?: Readonly<Record<string, unknown>>
    parameters?: string
  }
  const chosenWindow = Number(connection.environment['OLLAMA_CONTEXT_LENGTH']) || undefined
  const assumed = { ...assumedFacts(model), toolChoiceNone: false }
  const { capabilities } = told
  const abilities = capabilities
    ? {
        tools: capabilities.includes('tools'),
        vision: capabilities.includes('vision'),
        reasoning: capabilities.includes('thinking'),
      }
    : {}
  const [, longest] = Object.entries(told.model_info ?? {}).find(([key]) => key.endsWith('.context_length')) ?? []
  if (typeof longest !== 'number' || longest <= 0) return withTold(assumed, abilities)
  const ownWindow = Number(/^num_ctx\s+(\d+)/m.exec(told.parameters ?? '')?.[1]) || undefined
  const window = Math.min(longest, chosenWindow ?? ownWindow ?? MODEST_WINDOW)
  return withTold(assumed, { ...abilities, window, source: 'provider' })
}
