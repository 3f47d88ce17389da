import type { AttributeValue, Attributes, Span } from './span.ts'

export interface SpanSource {
  readonly service: string
  readonly version: string
  readonly schemaUrl: string
}

/**
 * `ExportTraceServiceRequest` in the JSON mapping of OTLP 1.x, in which ids are hexadecimal and 64-bit integers are
 * texts.
 */
export function otlpJson(spans: readonly Span[], { service, version, schemaUrl }: SpanSource): string {
  const resource = { 'service.name': service, 'service.version': version, 'telemetry.sdk.name': 'foreword' }
  return JSON.stringify({
    resourceSpans: [
      {
        resource: { attributes: keyValues(resource) },
        scopeSpans: [{ scope: { name: 'foreword', version }, spans: spans.map(spanJson), schemaUrl }],
        schemaUrl,
      },
    ],
  })
}

const KINDS = { internal: 1, client: 3 } as const
const FAILED = 2

function spanJson({ traceId, spanId, parentSpanId, name, kind, start, end, attributes, failure }: Span): object {
  return {
    traceId,
    spanId,
    ...(parentSpanId !== undefined && { parentSpanId }),
    name,
    kind: KINDS[kind],
    startTimeUnixNano: nanoseconds(start),
    endTimeUnixNano: nanoseconds(Math.max(start, end)),
    attributes: keyValues(attributes),
    ...(failure && { status: { code: FAILED, ...failure } }),
  }
}

/** Exact: the number of nanoseconds since 1970 is larger than a number can hold. */
function nanoseconds(ms: number): string {
  return String(BigInt(Math.round(ms * 1_000)) * 1_000n)
}

function keyValues(attributes: Attributes): readonly object[] {
  return Object.entries(attributes).flatMap(([key, value]) =>
    value === undefined ? [] : [{ key, value: valueJson(value) }],
  )
}

function valueJson(value: AttributeValue): object {
  if (typeof value === 'string') return { stringValue: value }
  if (typeof value === 'boolean') return { boolValue: value }
  if (typeof value === 'number') {
    return Number.isSafeInteger(value) ? { intValue: String(value) } : { doubleValue: value }
  }
  return { arrayValue: { values: value.map(valueJson) } }
}
