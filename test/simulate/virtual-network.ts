import { sha256 } from '../../src/platform.ts'
import {
  modelsAnswer,
  type ScriptedAnswer,
  type ScriptedRequest,
  type Wire,
} from '../../src/testing/scripted-provider-answer.ts'
import { responseFrames } from '../../src/testing/scripted-provider-frames.ts'
import type { Random } from './random.ts'
import type { Owner, VirtualTime } from './virtual-time.ts'

/** How one answer comes: what it is, and what the network makes of it. */
export interface NetworkAnswer {
  readonly answer: ScriptedAnswer
  /** Before the status, ms. */
  readonly delay: number
  /** Between two parts, at most, ms. */
  readonly pause: number
  /** Parts are cut at any byte, not between events. */
  readonly splits: boolean
  /** Bytes that are no answer, in the place of the part with this number. */
  readonly garbage?: number
}

/** A call as a provider received it. */
export interface ReceivedCall {
  readonly owner: Owner
  readonly time: number
  readonly request: ScriptedRequest
}

export type VirtualNetwork = ReturnType<typeof virtualNetwork>

/** Providers in virtual time. Each process has a `fetch` of its own. */
export function virtualNetwork({
  time,
  random,
  answer,
}: {
  readonly time: VirtualTime
  readonly random: Random
  readonly answer: (request: ScriptedRequest) => NetworkAnswer
}) {
  const received: ReceivedCall[] = []

  function respond(owner: Owner, request: ScriptedRequest, signal: AbortSignal | undefined): Promise<Response> {
    const { answer: given, delay, pause, splits, garbage } = answer(request)
    received.push({ owner, time: time.now(), request })
    time.mark()
    const parts = partsOf(responseFrames(given, request, received.length), splits ? random : undefined)
    if (garbage !== undefined && garbage < parts.length) parts[garbage] = encoder.encode('data: {"choices": [{"del\n\n')
    return new Promise((resolve, reject) => {
      const leave = () => reject(signal?.reason)
      signal?.addEventListener('abort', leave, { once: true })
      if (signal?.aborted) return leave()
      if (given.hangAfter === 0) return
      time.at(delay, owner, () => {
        signal?.removeEventListener('abort', leave)
        if (signal?.aborted) return
        if (given.cutAfter === 0) return reject(new TypeError('fetch failed', { cause: new Error('ECONNRESET') }))
        const { status, body = {}, headers = {} } = given
        if (status !== undefined) return resolve(Response.json(body, { status, headers }))
        const type = request.wire === 'ollama' ? 'application/x-ndjson' : 'text/event-stream'
        resolve(new Response(stream(parts), { headers: { 'content-type': type, ...headers } }))
      })
    })

    function stream(left: readonly Uint8Array[]): ReadableStream<Uint8Array> {
      let next = 0
      let cancel = () => {}
      const end = given.cutAfter ?? given.hangAfter ?? given.endAfter ?? left.length
      return new ReadableStream<Uint8Array>({
        start(controller) {
          const leave = () => {
            cancel()
            controller.error(signal?.reason)
          }
          signal?.addEventListener('abort', leave, { once: true })
          const step = () => {
            const part = next < end ? left[next] : undefined
            next += 1
            if (part) {
              controller.enqueue(part)
              cancel = time.at(random.below(pause + 1), owner, step)
              return
            }
            if (given.hangAfter !== undefined) return
            signal?.removeEventListener('abort', leave)
            if (given.cutAfter !== undefined) controller.error(new TypeError('terminated'))
            else controller.close()
          }
          cancel = time.at(0, owner, step)
        },
        cancel: () => cancel(),
      })
    }
  }

  return {
    /** Calls to models, of all processes. */
    received: received as readonly ReceivedCall[],
    fetchOf:
      (owner: Owner): typeof fetch =>
      async (input, init) => {
        const address = new URL(input instanceof Request ? input.url : input)
        const wire = WIRES[address.pathname]
        const bytes = Buffer.from(
          typeof init?.body === 'string' ? init.body : ((init?.body as Uint8Array | null) ?? ''),
        )
        if (wire) return respond(owner, receivedRequest(wire, address, bytes, time.now()), init?.signal ?? undefined)
        const { status, body } = modelsAnswer(address.pathname, bytes, {
          models: [{ name: 'scripted' }],
          slots: undefined,
        })
        return new Promise((resolve) =>
          time.at(random.below(30), owner, () => resolve(Response.json(body, { status }))),
        )
      },
  }
}

const encoder = new TextEncoder()

function partsOf(frames: readonly string[], random: Random | undefined): Uint8Array[] {
  if (!random) return frames.map((frame) => encoder.encode(frame))
  const bytes = encoder.encode(frames.join(''))
  const parts: Uint8Array[] = []
  for (let at = 0; at < bytes.length;) {
    const size = 1 + random.below(600)
    parts.push(bytes.subarray(at, at + size))
    at += size
  }
  return parts
}

const WIRES: Readonly<Record<string, Wire>> = {
  '/api/chat': 'ollama',
  '/v1/chat/completions': 'openai-chat',
  '/v1/responses': 'openai-responses',
  '/v1/messages': 'anthropic',
}

function receivedRequest(wire: Wire, address: URL, bytes: Buffer, time: number): ScriptedRequest {
  const body = JSON.parse(bytes.toString('utf8')) as Record<string, unknown>
  const tools =
    (body['tools'] as readonly { readonly name?: string; readonly function?: { readonly name: string } }[]) ?? []
  return {
    wire,
    path: address.pathname,
    headers: {},
    bytes,
    sha256: sha256(bytes),
    body,
    time,
    model: String(body['model']),
    newest: '',
    tools: tools.map((tool) => tool.name ?? tool.function?.name ?? ''),
    cancelled: false,
  }
}
