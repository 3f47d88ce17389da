import {
  HttpFailure,
  type ListedModel,
  ModelError,
  type ModelFacts,
  modelErrorOf,
  provider,
  type ProviderConnection,
  type Suggestion,
} from '../../model.ts'
import { ollamaAddress } from './ollama-address.ts'
import { ollamaFacts, ollamaNames } from './ollama-facts.ts'
import { ollamaModel } from './ollama-model.ts'

/** Ollama, by its native API. It is always asked about its models: one that it has not fetched cannot be called. */
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
    if (error instanceof HttpFailure && error.statusCode === 404)
      throw await notFetched(connection, model, milliseconds)
    if (error instanceof HttpFailure) {
      throw modelErrorOf(error, { provider: name, model, secrets: [(await connection.key()) ?? ''] })
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

/** As many models as are looked into for tools. */
const LOOKED_INTO = 8

async function suggest(connection: ProviderConnection, milliseconds: number): Promise<readonly Suggestion[]> {
  const names = (await ollamaNames(connection, milliseconds)).slice(0, LOOKED_INTO)
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
