import {
  assumedFacts,
  type ListedModel,
  mergeFacts,
  ModelError,
  toModelError,
  type ModelFacts,
  provider,
  type ProviderConnection,
  ResponseError,
  type Suggestion,
} from '../../model.ts'
import { ollamaModel } from './ollama-model.ts'

/** Ollama, over its native API. The list of models always comes from the server, which can only call models that it has pulled. */
export const ollama = provider({
  kind: 'ollama',
  builtIn: true,
  baseURL: ollamaAddress(''),
  baseURLVariable: 'OLLAMA_HOST',
  readBaseURL: ollamaAddress,
  attach: 'start Ollama (`ollama serve`)',
  open: ollamaModel,
  list,
  facts,
  suggest,
})

async function list(connection: ProviderConnection, milliseconds: number): Promise<readonly ListedModel[]> {
  try {
    return (await ollamaNames(connection, milliseconds)).map((name) => ({ name }))
  } catch (error) {
    if (error instanceof ModelError) throw error
    const { name, baseURL } = connection
    const message = `Ollama does not answer at ${baseURL}: start it with \`ollama serve\``
    throw new ModelError('network', message, { provider: name, model: '' })
  }
}

async function facts(connection: ProviderConnection, model: string, milliseconds: number): Promise<ModelFacts> {
  try {
    return await ollamaFacts(connection, model, milliseconds)
  } catch (error) {
    const { name, baseURL } = connection
    if (error instanceof ModelError) throw error
    if (error instanceof ResponseError && error.statusCode === 404)
      throw await notFetched(connection, model, milliseconds)
    if (error instanceof ResponseError) {
      throw toModelError(error, { provider: name, model, secrets: [(await connection.key()) ?? ''] })
    }
    const message = `Ollama does not answer at ${baseURL}. Start it with \`ollama serve\`, or set OLLAMA_HOST or providers.${name}.baseURL.`
    throw new ModelError('network', message, { provider: name, model })
  }
}

async function notFetched(connection: ProviderConnection, model: string, milliseconds: number): Promise<ModelError> {
  const names = await ollamaNames(connection, milliseconds).catch(() => [])
  const there = names.length > 0 ? `It has: ${names.join(', ')}.` : 'It has none yet.'
  const message = `Ollama has no model "${model}". ${there} Fetch it with \`ollama pull ${model}\`.`
  return new ModelError('model-not-found', message, { provider: connection.name, model })
}

/** How many models are checked for tools. */
const MOST_CHECKED = 8

async function suggest(connection: ProviderConnection, milliseconds: number): Promise<readonly Suggestion[]> {
  const names = (await ollamaNames(connection, milliseconds)).slice(0, MOST_CHECKED)
  const here = `Ollama runs at ${connection.baseURL}`
  return Promise.all(
    names.map(async (name) => {
      const found = await ollamaFacts(connection, name, milliseconds).catch(() => undefined)
      return found?.tools && found.source === 'provider'
        ? { name, why: `${here}, and this model can use tools.`, rank: 0 }
        : { name, why: `${here}. This model cannot use tools.`, rank: 1 }
    }),
  )
}

/**
 * The default window, tokens. Models report windows of 131,072 and more, but Ollama allocates the memory for the whole window at
 * once, and small machines do not have it.
 */
const MODEST_WINDOW = 16_384

/** Names of the models that Ollama has pulled, newest first. `milliseconds`: the time limit. */
async function ollamaNames(connection: ProviderConnection, milliseconds: number): Promise<readonly string[]> {
  const answer = (await connection.ask('/api/tags', milliseconds)) as { models?: readonly { name?: string }[] }
  return (answer.models ?? []).flatMap(({ name }) => (name ? [name] : []))
}

/**
 * The facts of a model. `OLLAMA_CONTEXT_LENGTH`, or the model's own `num_ctx`, sets the window. Throws a `ResponseError` with
 * status 404 for a model that Ollama has not pulled.
 */
async function ollamaFacts(connection: ProviderConnection, model: string, milliseconds: number): Promise<ModelFacts> {
  const shown = (await connection.ask('/api/show', milliseconds, { model })) as {
    capabilities?: readonly string[]
    model_info?: Readonly<Record<string, unknown>>
    parameters?: string
  }
  const chosenWindow = Number(connection.environment['OLLAMA_CONTEXT_LENGTH']) || undefined
  const assumed = { ...assumedFacts(model), toolChoiceNone: false }
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

/**
 * Reads `OLLAMA_HOST` as Ollama does: a host, a port, both, or an address. It may be the address that a server binds, so 0.0.0.0
 * means this machine.
 */
export function ollamaAddress(host: string): string {
  const given = host.trim()
  if (given === '') return 'http://127.0.0.1:11434'
  const text = /^https?:\/\//.test(given) ? given : `http://${given.startsWith(':') ? `127.0.0.1${given}` : given}`
  const url = new URL(text)
  const portless = url.port === '' && !/^https?:\/\//.test(given)
  if (portless) url.port = '11434'
  if (url.hostname === '0.0.0.0' || url.hostname === '[::]') url.hostname = '127.0.0.1'
  return `${url.origin}${url.pathname.replace(/\/+$/, '').replace(/\/(?:api|v1)$/, '')}`
}
