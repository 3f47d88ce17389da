import { sha256 } from '../../platform.ts'

export interface Span extends SpanContext {
  readonly parentSpanId?: string
  readonly name: string
  /** `client`: what another program does for this one. */
  readonly kind: 'internal' | 'client'
  /** ms since 1970. */
  readonly start: number
  readonly end: number
  /** What is `undefined` is not written. */
  readonly attributes: Attributes
  /** It failed. The message is content: absent unless that is exported. */
  readonly failure?: { readonly message?: string }
}

export type Attributes = Readonly<Record<string, AttributeValue | undefined>>
export type AttributeValue = string | number | boolean | readonly string[]

/** Lowercase hexadecimal: 32 digits of the trace and 16 of the span. */
export interface SpanContext {
  readonly traceId: string
  readonly spanId: string
}

/** The trace of a turn or of a call outside every turn. The same work has the same ids, whenever it is exported. */
export function traceIdOf(...work: readonly string[]): string {
  return sha256(`trace ${work.join(' ')}`).slice(0, 32)
}

/** The id of the span of one piece of work. */
export function spanIdOf(...work: readonly string[]): string {
  return sha256(`span ${work.join(' ')}`).slice(0, 16)
}
