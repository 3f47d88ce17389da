import type { IncomingHttpHeaders, ServerResponse } from 'node:http'
import { buffer } from 'node:stream/consumers'
import { type ScriptedServer, scriptedServer } from '../../src/testing/scripted-server.ts'

/** A collector that speaks OTLP over HTTP in JSON, and keeps what it was sent. */
export interface ScriptedCollector extends ScriptedServer {
  /** In the order of arrival, with their attributes as plain values. */
  readonly spans: readonly ExportedSpan[]
  readonly requests: readonly CollectorRequest[]
  /** Resolves once so many spans are there, and gives them. */
  received(count: number): Promise<readonly ExportedSpan[]>
  /** Resolves once so many requests came. */
  asked(count: number): Promise<void>
}

export interface ExportedSpan {
  readonly traceId: string
  readonly spanId: string
  readonly parentSpanId?: string
  readonly name: string
  readonly kind: number
  readonly start: bigint
  readonly end: bigint
  readonly attributes: Readonly<Record<string, unknown>>
  readonly status?: { readonly code: number; readonly message?: string }
}

interface CollectorRequest {
  readonly path: string
  readonly headers: IncomingHttpHeaders
  readonly body: string
}

interface OtlpValue {
  readonly stringValue?: string
  readonly intValue?: string
  readonly doubleValue?: number
  readonly boolValue?: boolean
  readonly arrayValue?: { readonly values: readonly OtlpValue[] }
}

interface OtlpSpan extends Omit<ExportedSpan, 'attributes' | 'start' | 'end'> {
  readonly startTimeUnixNano: string
  readonly endTimeUnixNano: string
  readonly attributes: readonly { readonly key: string; readonly value: OtlpValue }[]
}

interface OtlpBody {
  readonly resourceSpans: readonly { readonly scopeSpans: readonly { readonly spans: readonly OtlpSpan[] }[] }[]
}

export interface CollectorOptions {
  /** Answers the nth request, counted from 1; returns whether its spans are taken. Takes all of them unless given. */
  readonly answer?: (response: ServerResponse, n: number) => boolean | Promise<boolean>
  readonly port?: number
}

export async function scriptedCollector({ answer, port }: CollectorOptions = {}): Promise<ScriptedCollector> {
  const spans: ExportedSpan[] = []
  const requests: CollectorRequest[] = []
  const waiters = new Set<() => void>()
  const until = (isSo: () => boolean) =>
    new Promise<void>((resolve) => {
      const look = () => {
        if (!isSo()) return
        waiters.delete(look)
        resolve()
      }
      waiters.add(look)
      look()
    })
  const server = await scriptedServer(
    async (incoming, response) => {
      const body = (await buffer(incoming)).toString()
      requests.push({ path: incoming.url ?? '', headers: incoming.headers, body })
      const takes = answer === undefined ? accept(response) : await answer(response, requests.length)
      if (takes) spans.push(...spansOf(JSON.parse(body) as OtlpBody))
      for (const look of waiters) look()
    },
    (error, response) => response.writeHead(500).end(String(error)),
    port,
  )
  return {
    ...server,
    spans,
    requests,
    async received(count) {
      await until(() => spans.length >= count)
      return spans
    },
    asked: (count) => until(() => requests.length >= count),
  }
}

/** Takes everything. */
export function accept(response: ServerResponse): true {
  response.writeHead(200, { 'content-type': 'application/json' }).end('{}')
  return true
}

/** Refuses, with a status. */
export function refuse(response: ServerResponse, status: number, text = ''): false {
  response.writeHead(status).end(text)
  return false
}

function spansOf({ resourceSpans }: OtlpBody): readonly ExportedSpan[] {
  return resourceSpans
    .flatMap(({ scopeSpans }) => scopeSpans.flatMap((scope) => scope.spans))
    .map(({ attributes, startTimeUnixNano, endTimeUnixNano, ...span }) => ({
      ...span,
      start: BigInt(startTimeUnixNano),
      end: BigInt(endTimeUnixNano),
      attributes: Object.fromEntries(attributes.map(({ key, value }) => [key, valueOf(value)])),
    }))
}

function valueOf({ stringValue, intValue, doubleValue, boolValue, arrayValue }: OtlpValue): unknown {
  if (arrayValue) return arrayValue.values.map(valueOf)
  return stringValue ?? (intValue === undefined ? undefined : Number(intValue)) ?? doubleValue ?? boolValue
}
