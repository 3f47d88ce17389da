import { EventSourceParserStream } from 'eventsource-parser/stream'
import type { Finding } from '../../../src/capability.ts'
import { ApiError, request } from './client.ts'

export type { Finding }

/** Lets the gateway check its home, and passes on each finding as it comes. Rejects with `ApiError` where the checks break off. */
export async function runDoctor(signal: AbortSignal, onFinding: (finding: Finding) => void): Promise<void> {
  const response = await request('/api/doctor', { signal, headers: { accept: 'text/event-stream' } })
  const messages = response.body!.pipeThrough(new TextDecoderStream()).pipeThrough(new EventSourceParserStream())
  for await (const { data, event } of messages) {
    if (event === 'end') return
    if (event === 'error') {
      const { error } = JSON.parse(data) as { readonly error: ConstructorParameters<typeof ApiError>[1] }
      throw new ApiError(500, error)
    }
    if (event === 'finding') onFinding(JSON.parse(data) as Finding)
  }
  throw new ApiError(0, {
    code: 'offline',
    message: 'The gateway stopped before the checks were over.',
    hint: 'Check that `foreword start` is running, then run the checks again.',
  })
}
