import { HttpFailure, toFailure } from '../../../server.ts'
import { openaiFailure } from '../http/openai-failure.ts'

/**
 * An error as a request of this endpoint gets it: with its names of parameters, and with the header by which OpenAI's clients know
 * that the same request would be refused again.
 */
export function responseError(error: unknown): unknown {
  const { code, message, facts, hint, headers } = toFailure(error)
  if (code === 'internal') return error
  const parameter = code === 'context-overflow' ? 'input' : renamed(facts['parameter'])
  const isFinal = code === 'over-budget' || code === 'quota'
  return new HttpFailure(
    code as ConstructorParameters<typeof HttpFailure>[0],
    typeof facts['parameter'] === 'string' && parameter !== facts['parameter']
      ? message.replaceAll(facts['parameter'], String(parameter))
      : message,
    { ...facts, ...(parameter === undefined ? {} : { parameter }) },
    {
      ...(hint === undefined ? {} : { hint }),
      headers: { ...headers, ...(isFinal ? { 'x-should-retry': 'false' } : {}) },
    },
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

/** An error in a stream that has begun, with the codes that clients act on. */
export function streamedError(error: unknown): { readonly code: string; readonly message: string } {
  const failure = toFailure(responseError(error))
  const { body } = openaiFailure(failure)
  const { code, message } = (body as { readonly error: { readonly code: string; readonly message: string } }).error
  return { code: STREAM_CODES[failure.code] ?? code, message }
}

/** Codex tries again after an error of a stream whose code it does not know. */
const STREAM_CODES: Readonly<Record<string, string>> = {
  'over-budget': 'insufficient_quota',
  internal: 'server_error',
  server: 'server_error',
  network: 'server_error',
  timeout: 'server_error',
  closing: 'server_error',
}
