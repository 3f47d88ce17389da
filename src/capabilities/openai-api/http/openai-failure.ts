import type { ErrorFormat, Failure } from '../../../capability.ts'
import { defined, elementsOf, type ErrorCode, fieldsOf } from '../../../platform.ts'
import { textOf } from '../../../wire.ts'

/**
 * A failure in OpenAI's format, with the codes that its clients act on. For a prompt that is too large, the sentence
 * is OpenAI's own, because clients parse it. The fact `openaiCode` is a code that only OpenAI has.
 */
export function openaiFailure(failure: Failure): ReturnType<ErrorFormat['format']> {
  const { code, message, facts, hint } = failure
  const overflows = code === 'context-overflow'
  const known = Object.hasOwn(openaiCodes, code) ? openaiCodes[code as ErrorCode] : undefined
  const status = known?.status ?? failure.status
  const { parameter, problems, openaiCode, ...others } = facts
  const first = textOf(fieldsOf(elementsOf(problems)[0])['at'])?.replace(/^body\.?/, '')
  const error = {
    ...others,
    ...defined({ hint }),
    message: (overflows && overflowSentence(facts)) || message,
    type: TYPES[status] ?? (status < 500 ? 'invalid_request_error' : 'server_error'),
    param: parameter ?? (overflows ? 'messages' : first || null),
    code: openaiCode ?? known?.code ?? code,
  }
  return { status, body: { error }, headers: REFUSED_FOR_GOOD.has(code) ? { 'x-should-retry': 'false' } : {} }
}

const REFUSED_FOR_GOOD: ReadonlySet<string> = new Set<ErrorCode>(['over-budget', 'quota'])

/** Codes and statuses that OpenAI's clients know by another name. All others are passed on unchanged. */
export const openaiCodes: Readonly<Partial<Record<ErrorCode, { readonly code: string; readonly status?: number }>>> = {
  'unsupported-parameter': { code: 'unsupported_parameter' },
  unauthorized: { code: 'invalid_api_key' },
  'model-not-found': { code: 'model_not_found' },
  'context-overflow': { code: 'context_length_exceeded', status: 400 },
  'content-filter': { code: 'content_filter', status: 400 },
  'rate-limit': { code: 'rate_limit_exceeded' },
  quota: { code: 'insufficient_quota' },
}

const TYPES: Readonly<Record<number, string>> = { 401: 'authentication_error', 429: 'rate_limit_error' }

/** Clients look for these words and numbers. `undefined` where the numbers are not known. */
function overflowSentence({ limit, sent, reserve, said, parameter }: Failure['facts']): string | undefined {
  if (typeof sent !== 'number') return undefined
  // Of a request with an `input`, OpenAI says this and no numbers.
  const own = parameter === 'input' ? INPUT_OVERFLOW : ''
  const most =
    typeof limit === 'number'
      ? `This model's maximum context length is ${limit} tokens.`
      : "This model's maximum context length is exceeded; its provider does not say how long it is."
  if (typeof reserve !== 'number') {
    const words = `${most} However, your messages resulted in ${sent} tokens. Please reduce the length of the messages.`
    // A provider with OpenAI's format has said the same.
    return typeof said === 'string' && said !== words ? `${own}${words} The provider said: ${said}` : `${own}${words}`
  }
  return (
    `${own}${most} However, you requested ${sent + reserve} tokens (${sent} in the messages, ${reserve} in the completion). ` +
    'Please reduce the length of the messages or completion.'
  )
}

const INPUT_OVERFLOW = 'Your input exceeds the context window of this model. Please adjust your input and try again. '
