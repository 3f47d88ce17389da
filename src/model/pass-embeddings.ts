import type { Connected } from './connection.ts'
import { ModelError } from './model-error.ts'
import { toModelError } from './provider-failure.ts'

/** The longest wait for the vectors of one request, ms. */
const EMBEDDINGS_MS = 60_000

/** Asks a provider for embeddings in OpenAI's format, with its own name of the model in the body, and returns what it answered. */
export async function passEmbeddings(
  { provider, connection }: Connected,
  model: string,
  body: Readonly<Record<string, unknown>>,
): Promise<unknown> {
  const names = { provider: connection.name, model }
  if (provider.connects === false || model === '') {
    throw new ModelError(
      'model-not-found',
      `${connection.name} has no embedding model. Name one as provider/model.`,
      names,
    )
  }
  const key = await connection.key()
  try {
    return await connection.ask(provider.embeddingsPath ?? '/embeddings', EMBEDDINGS_MS, { ...body, model })
  } catch (error) {
    throw toModelError(error, { ...names, secrets: key ? [key] : [] }, connection.clock.now())
  }
}
