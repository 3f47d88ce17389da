/**
 * The header `traceparent` of W3C Trace Context, version 00, where it names a trace and a span; `undefined` for anything else.
 */
export function readTraceparent(header: string | null | undefined): string | undefined {
  const text = header?.trim().toLowerCase()
  return text !== undefined && parseTraceparent(text) ? text : undefined
}

/** What it names: the trace, the span that is the parent, and whether the caller records this trace. */
export interface Traceparent {
  /** 32 and 16 lowercase hexadecimal digits. */
  readonly traceId: string
  readonly spanId: string
  readonly sampled: boolean
}

export function parseTraceparent(text: string): Traceparent | undefined {
  const [, traceId = '', spanId = '', flags = ''] = /^00-([0-9a-f]{32})-([0-9a-f]{16})-([0-9a-f]{2})$/.exec(text) ?? []
  if (!/[1-9a-f]/.test(traceId) || !/[1-9a-f]/.test(spanId)) return undefined
  return { traceId, spanId, sampled: (Number.parseInt(flags, 16) & 1) === 1 }
}
