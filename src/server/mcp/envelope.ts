import type { CallToolResult } from '@modelcontextprotocol/server'
import type { RuntimeErrorCode } from '../../runtime.ts'
import type { StoreErrorCode } from '../../session.ts'
import { SubjectError, type SubjectErrorCode } from '../../capabilities/subjects/core.ts'

/**
 * What every reply of a tool says, whatever came of it (BEHAVIOURS §4). Beside that stand, only where there are any,
 * warnings: some clients read nothing but the structured reply, and `data` has exactly the keys of its operation.
 */
export type Envelope =
  | {
      readonly success: true
      readonly data: Readonly<Record<string, unknown>>
      readonly error: null
      readonly warnings?: readonly string[]
    }
  | { readonly success: false; readonly data: null; readonly error: EnvelopeError }

export interface EnvelopeError {
  readonly code: EnvelopeCode
  readonly message: string
  readonly details: Readonly<Record<string, unknown>>
  /** The caller can mend it and try again. */
  readonly recoverable: boolean
}

/** As BEHAVIOURS §4 has them on this wire: `not_found` and `invalid_input` are `not-found` and `invalid-input` elsewhere. */
export type EnvelopeCode =
  | Exclude<SubjectErrorCode, 'not-found' | 'invalid-input'>
  | 'not_found'
  | 'invalid_input'
  | 'internal'
  | 'cancelled'
  | 'unavailable'

/** The reply of a call that did what was asked. */
export function succeeded(data: Readonly<Record<string, unknown>>, warnings: readonly string[] = []): CallToolResult {
  return result({ success: true, data, error: null, ...(warnings.length > 0 && { warnings }) })
}

export function failed(
  code: EnvelopeCode,
  message: string,
  details: Readonly<Record<string, unknown>> = {},
): CallToolResult {
  const error = { code, message, details, recoverable: recoverable[code] }
  return { ...result({ success: false, data: null, error }), isError: true }
}

/** The reply to an error. Of one that nobody expected it says only that it happened: `unexpected` is told the rest. */
export async function failureReply(error: unknown, unexpected: (error: unknown) => void): Promise<CallToolResult> {
  if (error instanceof SubjectError) return failed(wireCode(error.code), error.message, error.facts)
  // Loaded late: a client is answered before the runtime is there.
  const { RuntimeError } = await import('../../runtime.ts')
  const { StoreError } = await import('../../session.ts')
  const isUnavailable =
    (error instanceof RuntimeError && UNAVAILABLE.has(error.code)) ||
    (error instanceof StoreError && UNAVAILABLE_STORE.has(error.code))
  if (isUnavailable) return failed('unavailable', error.message)
  unexpected(error)
  return failed('internal', 'Foreword failed inside. Its log says how; the call may be tried again.')
}

function wireCode(code: SubjectErrorCode): EnvelopeCode {
  if (code === 'not-found') return 'not_found'
  return code === 'invalid-input' ? 'invalid_input' : code
}

/** Nothing can be written now, and the message says why. */
const UNAVAILABLE: ReadonlySet<RuntimeErrorCode> = new Set(['closing', 'storage-full', 'storage'])
const UNAVAILABLE_STORE: ReadonlySet<StoreErrorCode> = new Set(['busy', 'full', 'closed', 'io', 'readonly', 'corrupt'])

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
    ...($defs === undefined ? {} : { $defs }),
  }
}

const recoverable: Readonly<Record<EnvelopeCode, boolean>> = {
  not_found: true,
  invalid_input: true,
  exists: true,
  changed: true,
  decided: false,
  unwritable: false,
  internal: false,
  cancelled: true,
  unavailable: false,
}

const errorSchema = {
  type: 'object',
  properties: {
    code: { type: 'string', enum: Object.keys(recoverable) },
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
