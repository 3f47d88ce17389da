import type { CallToolResult } from '@modelcontextprotocol/server'
import { defined, type ErrorCode, ForewordError } from '../../platform.ts'

/** The reply of every tool (BEHAVIOURS §4). Some clients read only this: `warnings` is there only where there are any. */
export type Envelope =
  | {
      readonly success: true
      readonly data: Readonly<Record<string, unknown>>
      readonly error: null
      readonly warnings?: readonly string[]
    }
  | { readonly success: false; readonly data: null; readonly error: EnvelopeError }

interface EnvelopeError {
  /** As `wireCode` gives it. */
  readonly code: string
  readonly message: string
  readonly details: Readonly<Record<string, unknown>>
  /** The caller can correct it and try again. */
  readonly recoverable: boolean
}

/** Each code of a failed call, and whether the caller can correct it and try again. */
const recoverable = {
  'not-found': true,
  'invalid-input': true,
  exists: true,
  changed: true,
  decided: false,
  unwritable: false,
  internal: false,
  cancelled: true,
  // The call cannot be carried out now. The message gives the reason.
  unavailable: false,
} as const satisfies Readonly<Record<string, boolean>>

type EnvelopeCode = keyof typeof recoverable

export function successEnvelope(
  data: Readonly<Record<string, unknown>>,
  warnings: readonly string[] = [],
): CallToolResult {
  return result({ success: true, data, error: null, ...(warnings.length > 0 && { warnings }) })
}

export function failureEnvelope(
  code: EnvelopeCode,
  message: string,
  details: Readonly<Record<string, unknown>> = {},
): CallToolResult {
  const error = { code: wireCode(code), message, details, recoverable: recoverable[code] }
  return { ...result({ success: false, data: null, error }), isError: true }
}

/** The reply to an error. An unexpected error is passed to `unexpected`, and the reply gives no details of it. */
export function failureReply(error: unknown, unexpected: (error: unknown) => void): CallToolResult {
  if (error instanceof ForewordError) {
    if (UNAVAILABLE.has(error.code)) return failureEnvelope('unavailable', error.message)
    if (error.expose && isReplied(error.code)) return failureEnvelope(error.code, error.message, error.facts)
  }
  unexpected(error)
  return failureEnvelope('internal', 'Foreword failed; its log has the details. The call may be tried again.')
}

function isReplied(code: string): code is EnvelopeCode {
  return code !== 'internal' && Object.hasOwn(recoverable, code)
}

/** As BEHAVIOURS §4 has them on this wire: `not_found` and `invalid_input`. */
function wireCode(code: string): string {
  return code === 'not-found' || code === 'invalid-input' ? code.replace('-', '_') : code
}

/** Codes for a home that cannot be read or written now. */
const UNAVAILABLE: ReadonlySet<string> = new Set<ErrorCode>([
  'closing',
  'overloaded',
  'storage-full',
  'storage',
  'busy',
  'full',
  'closed',
  'io',
  'readonly',
  'corrupt',
])

/** JSON Schema of the envelope around data of this schema. Definitions of the data move to where references find them. */
export function envelopeSchema(data: Readonly<Record<string, unknown>>): Record<string, unknown> & { type: 'object' } {
  const { $schema: _dialect, $id: _id, $defs, ...rules } = data
  return {
    type: 'object',
    properties: {
      success: { type: 'boolean' },
      data: { anyOf: [rules, { type: 'null' }] },
      error: { anyOf: [errorSchema, { type: 'null' }] },
      warnings: { type: 'array', items: { type: 'string' }, minItems: 1 },
    },
    required: ['success', 'data', 'error'],
    additionalProperties: false,
    ...defined({ $defs }),
  }
}

const errorSchema = {
  type: 'object',
  properties: {
    code: { type: 'string', enum: Object.keys(recoverable).map(wireCode) },
    message: { type: 'string' },
    details: { type: 'object' },
    recoverable: { type: 'boolean' },
  },
  required: ['code', 'message', 'details', 'recoverable'],
  additionalProperties: false,
}

function result(envelope: Envelope): CallToolResult {
  return { content: [{ type: 'text', text: JSON.stringify(envelope) }], structuredContent: { ...envelope } }
}
