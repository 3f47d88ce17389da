import {
  assumedFacts,
  type CacheRules,
  type ListedModel,
  mergeFacts,
  ModelError,
  toModelError,
  type ModelFacts,
  type ProviderConnection,
  refusal,
  ResponseError,
  type Suggestion,
} from '../../model.ts'
import { defined, publicAddress } from '../../platform.ts'

/** Newest first. `milliseconds`: the time limit. */
export async function ollamaModels(
  connection: ProviderConnection,
  milliseconds: number,
): Promise<readonly ListedModel[]> {
  try {
    return (await ollamaNames(connection, milliseconds)).map((name) => ({ name }))
  } catch (error) {
    if (error instanceof ModelError) throw error
    const { name, baseURL } = connection
    const message = `Ollama does not answer at ${publicAddress(baseURL)}: start it with \`ollama serve\``
    throw new ModelError('network', message, { provider: name, model: '', ...refusal(error) })
  }
}

/** Throws a `ModelError` that says what to do. */
export async function ollamaModelFacts(
  connection: ProviderConnection,
  model: string,
  milliseconds: number,
): Promise<ModelFacts> {
  try {
    return await ollamaFacts(connection, model, milliseconds)
  } catch (error) {
    const { name, baseURL } = connection
    if (error instanceof ModelError) throw error
    if (error instanceof ResponseError && error.statusCode === 404)
      throw await notFetched(connection, model, milliseconds)
    if (error instanceof ResponseError) {
      throw toModelError(
        error,
        { provider: name, model, secrets: [(await connection.key()) ?? ''] },
        connection.clock.now(),
      )
    }
    const message = `Ollama does not answer at ${publicAddress(baseURL)}. Start it with \`ollama serve\`, or set OLLAMA_HOST or providers.${name}.baseURL.`
    throw new ModelError('network', message, { provider: name, model, ...refusal(error) })
  }
}

async function notFetched(connection: ProviderConnection, model: string, milliseconds: number): Promise<ModelError> {
  const names = await ollamaNames(connection, milliseconds).catch(() => [])
  const there = names.length > 0 ? `It has: ${names.join(', ')}.` : 'It has none yet.'
  const message = `Ollama has no model "${model}". ${there} Fetch it with \`ollama pull ${model}\`.`
  return new ModelError('model-not-found', message, { provider: connection.name, model })
}

const MOST_CHECKED = 8

/** Models that can use tools first. */
export async function suggestOllamaModels(
  connection: ProviderConnection,
  milliseconds: number,
): Promise<readonly Suggestion[]> {
  const names = (await ollamaNames(connection, milliseconds)).slice(0, MOST_CHECKED)
  const here = `Ollama runs at ${publicAddress(connection.baseURL)}`
  return Promise.all(
    names.map(async (name) => {
      const found = await ollamaFacts(connection, name, milliseconds).catch(() => undefined)
      return found?.tools && found.source === 'provider'
        ? { name, why: `${here}, and this model can use tools.`, rank: 0 }
        : { name, why: `${here}. This model cannot use tools.`, rank: 1 }
    }),
  )
}

/** The default window, tokens. Models report 131,072 and more, and Ollama allocates the whole window at once. */
const MODEST_WINDOW = 16_384

async function ollamaNames(connection: ProviderConnection, milliseconds: number): Promise<readonly string[]> {
  const answer = (await connection.ask('/api/tags', milliseconds)) as { models?: readonly { name?: string }[] }
  return (answer.models ?? []).flatMap(({ name }) => (name ? [name] : []))
}

/** Ollama unloads a model after five minutes, unless it is set otherwise. */
const USUAL_SECONDS = 300
const FOR_EVER = -1
const YEAR = 365 * 86_400

/** A model keeps what it has evaluated as long as it is loaded. */
function loadedFor({
  configuration,
  environment,
}: Pick<ProviderConnection, 'configuration' | 'environment'>): CacheRules {
  const keepAlive = keepAliveSeconds(configuration['keepAlive'] ?? environment['OLLAMA_KEEP_ALIVE'])
  const lifetimeSeconds = keepAlive === FOR_EVER ? YEAR : Math.max(1, keepAlive ?? USUAL_SECONDS)
  const rules = { kind: 'automatic', minimumTokens: 0, lifetimeSeconds, answers: true, slots: true } as const
  return { ...rules, ...defined({ keepAlive }) }
}

const UNITS: Readonly<Record<string, number>> = { s: 1, m: 60, h: 3600 }

/** Durations as Ollama writes them, such as `30m`, `1h30m` or a number of seconds; below 0 is for ever. `undefined`: as the server is set. */
export function keepAliveSeconds(duration: unknown): number | undefined {
  const text = typeof duration === 'string' ? duration.trim() : ''
  if (text === 'server') return undefined
  if (text === 'forever' || text.startsWith('-')) return FOR_EVER
  if (/^\d+$/.test(text)) return Number(text)
  const parts = [...text.matchAll(/(\d+)([smh])/g)]
  if (parts.length === 0 || parts.map(([part]) => part).join('') !== text) return 30 * 60
  return parts.reduce((seconds, [, count, unit]) => seconds + Number(count) * UNITS[unit!]!, 0)
}

/** `OLLAMA_CONTEXT_LENGTH` or `num_ctx` sets the window. Throws a `ResponseError` (404) for a model not pulled. */
async function ollamaFacts(connection: ProviderConnection, model: string, milliseconds: number): Promise<ModelFacts> {
  const shown = (await connection.ask('/api/show', milliseconds, { model })) as {
    capabilities?: readonly string[]
    model_info?: Readonly<Record<string, unknown>>
    parameters?: string
  }
  const chosenWindow = Number(connection.environment['OLLAMA_CONTEXT_LENGTH']) || undefined
  // Models of its cloud are paid for, wherever the server is.
  const own = /[:-]cloud$/.test(model) ? { free: false } : { cache: loadedFor(connection) }
  const assumed = { ...assumedFacts(model), toolChoiceNone: false, ...own }
  const { capabilities } = shown
  const abilities = capabilities
    ? {
        tools: capabilities.includes('tools'),
        vision: capabilities.includes('vision'),
        reasoning: capabilities.includes('thinking'),
      }
    : {}
  const [, longest] = Object.entries(shown.model_info ?? {}).find(([key]) => key.endsWith('.context_length')) ?? []
  if (typeof longest !== 'number' || longest <= 0) return mergeFacts(assumed, abilities)
  const ownWindow = Number(/^num_ctx\s+(\d+)/m.exec(shown.parameters ?? '')?.[1]) || undefined
  const window = Math.min(longest, chosenWindow ?? ownWindow ?? MODEST_WINDOW)
  return mergeFacts(assumed, { ...abilities, window, source: 'provider' })
}
