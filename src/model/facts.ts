import { assumedFacts, catalogFacts } from './catalog.ts'
import { compatibleModels } from './compatible-models.ts'
import { HttpFailure } from './http-failure.ts'
import { ModelError } from './model-error.ts'
import type { ModelFacts } from './model.ts'
import { ollamaFacts } from './ollama-models.ts'
import { type Place, QUESTION_MS } from './place.ts'
import { modelErrorOf } from './provider-failure.ts'

/** Facts, and whether asking again could tell more. */
export interface FoundFacts {
  readonly facts: ModelFacts
  readonly settled: boolean
}

/**
 * What is known of a model: the catalog, the provider's own answer, or an assumption. Ollama is always asked, and its
 * failures are thrown, for a model that it does not have cannot be called.
 */
export async function factsOf(place: Place, name: string): Promise<FoundFacts> {
  if (place.kind === 'ollama') return { facts: await ollamaFactsOf(place, name), settled: true }
  const cataloged = catalogFacts(place.kind, name)
  if (cataloged || place.official) return { facts: cataloged ?? assumedFacts(name), settled: true }
  const listed = await compatibleModels(await place.server(), QUESTION_MS).catch(() => undefined)
  const told = listed?.find((model) => model.name === name)?.facts
  return { facts: told ?? assumedFacts(name), settled: listed !== undefined }
}

async function ollamaFactsOf(place: Place, name: string): Promise<ModelFacts> {
  const server = await place.server()
  try {
    return await ollamaFacts(server, name, place.chosenWindow, QUESTION_MS)
  } catch (error) {
    if (error instanceof HttpFailure && error.statusCode === 404) throw await notFetched(place, name)
    const { provider } = place
    if (error instanceof HttpFailure)
      throw modelErrorOf(error, { provider, model: name, secrets: [server.apiKey ?? ''] })
    const message = `Ollama does not answer at ${place.baseURL}. Start it with \`ollama serve\`, or set OLLAMA_HOST or providers.${provider}.baseURL.`
    throw new ModelError('network', message, { provider, model: name })
  }
}

async function notFetched(place: Place, name: string): Promise<ModelError> {
  const names = await place.names().catch(() => [])
  const there = names.length > 0 ? `It has: ${names.join(', ')}.` : 'It has none yet.'
  const message = `Ollama has no model "${name}". ${there} Fetch it with \`ollama pull ${name}\`.`
  return new ModelError('model-not-found', message, { provider: place.provider, model: name })
}
