import type { createOpenAICompatible } from '@ai-sdk/openai-compatible'
import type { ProviderConnection } from '../../model/provider.ts'
import { fieldsOf } from '../../platform.ts'

/**
 * Slots of a llama.cpp server, each with the cache of one conversation. `undefined` where it does not say.
 * https://github.com/ggml-org/llama.cpp/blob/master/tools/server/README.md
 */
export async function engineSlots(connection: ProviderConnection, milliseconds: number): Promise<number | undefined> {
  // The API is below `/v1`, the properties of the server beside it.
  if (!connection.baseURL.endsWith('/v1')) return undefined
  const properties = await connection.ask('/../props', milliseconds).catch(() => undefined)
  const { total_slots: slots } = fieldsOf(properties)
  return typeof slots === 'number' && Number.isInteger(slots) && slots > 0 ? slots : undefined
}

type MetadataExtractor = NonNullable<Parameters<typeof createOpenAICompatible>[0]['metadataExtractor']>

export const engineTimings: MetadataExtractor = {
  extractMetadata: async ({ parsedBody }) => timingsOf(parsedBody),
  createStreamExtractor() {
    let last: ReturnType<typeof timingsOf>
    return {
      processChunk(chunk) {
        last = timingsOf(chunk) ?? last
      },
      buildMetadata: () => last,
    }
  },
}

function timingsOf(answer: unknown) {
  const { cache_n: cached, prompt_n: read } = fieldsOf(fieldsOf(answer)['timings'])
  return typeof cached === 'number' && typeof read === 'number' ? { engine: { cached, read } } : undefined
}
