import { EventSourceParserStream } from 'eventsource-parser/stream'
import type { Finding } from '../../../src/capability.ts'
import { ApiError, request } from './client.ts'
import { t } from '../language/language.ts'

export type { Finding }

/** The checks of the home, and those for known holes, whose findings have an id. */
export type DoctorPath = '/api/doctor' | '/api/doctor/security'

/** Lets the gateway check its home, and passes on each finding as it comes. Rejects with `ApiError` where the checks break off. */
export async function runDoctor(
  path: DoctorPath,
  signal: AbortSignal,
  onFinding: (finding: Finding & { readonly id?: string }) => void,
): Promise<void> {
  const response = await request(path, { signal, headers: { accept: 'text/event-stream' } })
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
    message: t`The gateway stopped before the checks were over.`,
    hint: t`Check that \`foreword start\` is running, then run the checks again.`,
  })
}
