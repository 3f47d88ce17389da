import { HttpFailure, toFailure } from '../../../server.ts'
import { openaiFailure } from '../http/openai-failure.ts'

export function responseError(error: unknown): unknown {
  const { code, message, facts, hint, headers } = toFailure(error)
  if (code === 'internal') return error
  const parameter = code === 'context-overflow' ? 'input' : renamed(facts['parameter'])
  return new HttpFailure(
    code as ConstructorParameters<typeof HttpFailure>[0],
    typeof facts['parameter'] === 'string' && parameter !== facts['parameter']
      ? message.replaceAll(facts['parameter'], String(parameter))
      : message,
    { ...facts, ...(parameter === undefined ? {} : { parameter }) },
    { ...(hint === undefined ? {} : { hint }), headers },
  )
}

/** Names of Chat Completions, in which the runtime reports parameters. */
const NAMES: Readonly<Record<string, string>> = {
  messages: 'input',
  max_tokens: 'max_output_tokens',
  response_format: 'text.format',
  reasoning_effort: 'reasoning.effort',
}

function renamed(parameter: unknown): unknown {
  return typeof parameter === 'string' ? (NAMES[parameter] ?? parameter) : parameter
}

/** Whether clients look for an error in the stream, even where nothing of the answer has come. */
export function belongsInStream(error: unknown): boolean {
  const { code } = toFailure(error)
  return code === 'context-overflow' || code === 'over-budget'
}

/** `reason` is Foreword's own code. */
export function streamedError(error: unknown): StreamedError {
  const failure = toFailure(responseError(error))
  const { body } = openaiFailure(failure)
  const { code, message } = (body as { readonly error: { readonly code: string; readonly message: string } }).error
  return { code: STREAM_CODES[failure.code] ?? code, message, reason: failure.code }
}

export interface StreamedError {
  readonly code: string
  readonly message: string
  readonly reason: string
}

/**
 * Codex repeats a stream that failed with a code it does not know, but not after `invalid_prompt`; for
 * `insufficient_quota` it has a sentence of its own.
 */
const STREAM_CODES: Readonly<Record<string, string>> = {
  'over-budget': 'invalid_prompt',
  internal: 'server_error',
  server: 'server_error',
  network: 'server_error',
  timeout: 'server_error',
  closing: 'server_error',
}
