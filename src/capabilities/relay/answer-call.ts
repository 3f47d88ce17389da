import type { Agent, IncomingMessage, ServerResponse } from 'node:http'
import {
  type Failure,
  type ForeignCallService,
  type ForeignCallStart,
  includesScope,
  type IncomingBody,
  type OpenForeignCall,
  type RawRequest,
  RuntimeError,
} from '../../capability.ts'
import type { ProviderServer } from '../../model.ts'
import {
  type Clock,
  decodeBody,
  errorMessage,
  type fairTurns,
  ForewordError,
  growingRoom,
  LONG_TEXT,
  type TimeSlice,
} from '../../platform.ts'
import { readThroughAddress, type RelayMode, type Target } from './address.ts'
import { forward, type ForwardedRequest, filterPairs, type HeaderPairs } from './forward-to-provider.ts'
import { outgoingRequest } from './outgoing-request.ts'
import { refuseCall } from './refusal.ts'
import type { RelaySettings } from './relay-settings.ts'
import { returningAnswer } from './returning-answer.ts'

interface AnswerParts {
  readonly foreign: ForeignCallService
  readonly clock: Clock
  readonly settings: RelaySettings
  /** Whose body is unpacked next. */
  readonly unpacking: ReturnType<typeof fairTurns>
  /** Of all bodies together: many connections may have megabytes in the same moment. */
  readonly receiving: TimeSlice
  agentOf(server: URL): Agent
}

/**
 * Passes one call on and its answer back: bodies byte by byte, and what `outgoingRequest` and `returningAnswer` let through beside
 * them. Throws what is to be refused before anything has left.
 */
export async function answerCall(parts: AnswerParts, call: RawRequest): Promise<void> {
  const { foreign, clock, settings, agentOf } = parts
  const { incoming, outgoing, caller, bodyBudget, holdsToken } = call
  if (/\bwebsocket\b/i.test(incoming.headers.upgrade ?? '')) return refuseCall(noWebSocket, incoming, outgoing)
  const { mode, provider, path } = readThroughAddress(incoming.url ?? '')
  const server = requireServer(foreign, provider)
  const { method = 'GET', url = '', rawHeaders } = incoming
  const { target, headers, head } = outgoingRequest(
    { method, path, headers: rawHeaders },
    {
      server,
      key: await server.key().catch((error: Error) => error),
      holdsToken,
      anyPath: includesScope(caller.scope, 'admin'),
      paths: settings.paths,
      signInTokens: settings.signInTokens,
    },
  )
  const read = await readWholeBody(parts, call, (bytes) => foreign.receive({ provider, head, caller }, bytes))
  if (read === undefined) {
    bodyBudget.end()
    return void outgoing.destroy()
  }
  const { body, plain, release } = read
  const recorded = foreign.begin({
    provider,
    head,
    body,
    plain,
    caller,
    holdsToken,
    overBudget:
      settings.overBudget === 'refuse'
        ? { type: 'refuse' }
        : { type: 'wait', milliseconds: settings.waitMinutes * 60_000 },
    secrets: settings.secrets,
    assemble: asksForCut(call, mode, settings),
  })
  // What is not on record yet is held for it.
  let written = Promise.resolve()
  void recorded.over
    .then(() => written)
    .finally(() => {
      release()
      bodyBudget.end()
    })
  const left = new AbortController()
  outgoing.once('close', () => {
    if (!outgoing.writableFinished) left.abort()
  })
  const admission = await recorded.admit(left.signal)
  if (left.signal.aborted) return recorded.end({ type: 'left' })
  if (admission.type === 'refuse') {
    recorded.end({ type: 'refused', message: admission.message })
    return refuseCall({ ...admission, status: 402, facts: {}, headers: {} }, incoming, outgoing)
  }
  const signal = AbortSignal.any([left.signal, recorded.stop])
  await recorded.sent(`${target.server.origin}${target.path.replace(/\?.*$/s, '')}`)
  try {
    const chunked = incoming.headers['transfer-encoding'] !== undefined
    const agent = agentOf(target.server)
    const sends = (until: Promise<void>) => void (written = until)
    const sent = { target, method, headers, chunked, body, agent, clock, signal, sends }
    const answer = await forward(admission.body ? { ...sent, ...withBody(headers, admission.body) } : sent)
    const prefix = url.slice(0, url.length - path.length)
    const back = returningAnswer({ status: answer.statusCode ?? 502, headers: answer.rawHeaders }, { target, prefix })
    if ('refuse' in back) {
      answer.destroy()
      recorded.end({ type: 'broken', message: back.refuse.message })
      return refuseCall(back.refuse, incoming, outgoing)
    }
    await passBack(clock, { answer, headers: back.headers }, outgoing, recorded)
  } catch (error) {
    endBroken({ recorded, left: left.signal, outgoing, incoming, target, error })
  }
}

/** Codex asks for a WebSocket first. After 426 it calls over HTTP at once; after any other answer it asks six times more. */
const noWebSocket: Failure = {
  status: 426,
  code: 'upgrade-required',
  message: 'Calls go through over HTTP, not over a WebSocket.',
  facts: {},
  headers: {},
}

/** The header of a call comes first, then its address, then the settings for its token. */
function asksForCut({ incoming, caller }: RawRequest, mode: RelayMode, { assemble }: RelaySettings): boolean {
  const asked = incoming.headers['x-foreword-mode']
  if (asked === 'assemble' || asked === 'through') return asked === 'assemble'
  return mode === 'assemble' || (caller.name !== undefined && assemble.includes(caller.name))
}

function withBody(headers: HeaderPairs, body: Uint8Array): Pick<ForwardedRequest, 'headers' | 'body' | 'chunked'> {
  const others = filterPairs(headers, (name) => name !== 'content-length' && name !== 'content-encoding')
  return { headers: [...others, 'Content-Length', String(body.byteLength)], body, chunked: false }
}

/** Sends an answer on as it comes. Rejects where it breaks off. */
function passBack(
  clock: Clock,
  { answer, headers }: { readonly answer: IncomingMessage; readonly headers: HeaderPairs },
  outgoing: ServerResponse,
  recorded: OpenForeignCall,
): Promise<void> {
  const { statusCode = 502, statusMessage } = answer
  outgoing.sendDate = false
  outgoing.writeHead(statusCode, statusMessage, [...headers])
  // With the first part of the answer where that has come, too; else alone.
  clock.soon(() => outgoing.flushHeaders())
  recorded.answered(statusCode, answer.headers as Record<string, string | undefined>)
  return new Promise((resolve, reject) => {
    answer.on('data', (bytes: Buffer) => {
      if (!outgoing.write(bytes)) answer.pause()
      recorded.received(bytes)
    })
    outgoing.on('drain', () => answer.resume())
    answer.once('end', () => {
      if (!answer.complete) return reject(new Error(BROKEN))
      outgoing.end()
      recorded.end({ type: 'whole' })
      resolve()
    })
    answer.once('error', reject)
    answer.once('close', () => reject(new Error(BROKEN)))
  })
}

const BROKEN = 'the answer broke off'

interface BrokenCall {
  readonly recorded: OpenForeignCall
  readonly left: AbortSignal
  readonly incoming: IncomingMessage
  readonly outgoing: ServerResponse
  readonly target: Target
  readonly error: unknown
}

/** What has begun is broken off, so that nobody takes it for whole. */
function endBroken({ recorded, left, outgoing, incoming, target, error }: BrokenCall): void {
  const message = errorMessage(error)
  if (left.aborted) return recorded.end({ type: 'left' })
  recorded.end(recorded.stop.aborted ? { type: 'stopped' } : { type: 'broken', message })
  if (outgoing.headersSent) return void outgoing.destroy()
  const { host } = target.server
  refuseCall(
    { status: 502, code: 'network', message: `${host} cannot be reached: ${message}.`, facts: {}, headers: {} },
    incoming,
    outgoing,
  )
}

function requireServer(foreign: ForeignCallService, provider: string): ProviderServer {
  const server = foreign.server(provider)
  if (server && server.baseURL !== '') return server
  const why = server ? 'has no address' : 'is not in the configuration'
  throw new RuntimeError(
    'not-found',
    `The provider ${JSON.stringify(provider)} ${why}.`,
    { provider },
    { hint: 'The address is /through/PROVIDER/… with a provider of `foreword models`.' },
  )
}

interface ReadBody extends Pick<ForeignCallStart, 'body' | 'plain'> {
  release(): void
}

/** Reads no more than there is room for. `undefined`: the caller left before the end of the body. */
async function readWholeBody(
  parts: Pick<AnswerParts, 'unpacking' | 'receiving' | 'settings'>,
  call: RawRequest,
  receive: (bytes: number) => IncomingBody,
): Promise<ReadBody | undefined> {
  const { incoming, bodyBudget } = call
  const most = parts.settings.maxBodyMegabytes * 1024 * 1024
  const declared = Number(incoming.headers['content-length'] ?? 0)
  if (declared > most) throw tooLarge(most)
  await bodyBudget.hold(declared)
  // What is packed is received in the memory of its conversation once it is unpacked.
  const whole = declared > 0 && incoming.headers['content-encoding'] === undefined ? receive(declared) : undefined
  const release = () => whole?.release()
  const pieces: Buffer[] = []
  let bytes = 0
  try {
    for await (const part of incoming.iterator({ destroyOnReturn: false }) as AsyncIterable<Buffer>) {
      if (whole) whole.push(part)
      else pieces.push(part)
      bytes += part.byteLength
      if (bytes > most) throw tooLarge(most)
      if (declared === 0) await bodyBudget.hold(Math.min(growingRoom(bytes), most))
      if (bytes > LONG_TEXT && parts.receiving.isOver()) await parts.receiving.rest()
    }
  } catch (error) {
    release()
    if (error instanceof ForewordError) throw error
    return undefined
  }
  if (!incoming.complete) {
    release()
    return undefined
  }
  const body = whole?.end() ?? Buffer.concat(pieces, bytes)
  return whole ? { body, plain: body, release } : unpackBody(parts, call, body, receive)
}

/** Unpacks a body that is within the limit, and for which there is room beside the packed one. */
async function unpackBody(
  { unpacking, settings }: Pick<AnswerParts, 'unpacking' | 'settings'>,
  { incoming, bodyBudget, caller }: RawRequest,
  body: Uint8Array,
  receive: (bytes: number) => IncomingBody,
): Promise<ReadBody> {
  const most = settings.maxBodyMegabytes * 1024 * 1024
  let whole: IncomingBody | undefined
  const release = () => whole?.release()
  try {
    const decoded = await decodeBody(body, incoming.headers['content-encoding'], {
      most,
      async receive(bytes) {
        await bodyBudget.hold(body.byteLength + bytes)
        return (whole = receive(bytes))
      },
      async inTurn(work) {
        const turn = await unpacking.take(caller.by)
        return work().finally(() => turn.end())
      },
    })
    if ('body' in decoded) return { body, plain: decoded.body, release }
    if (decoded.fault === 'too-large') throw tooLarge(most, ', once it is unpacked,')
    return { body, plain: undefined, release }
  } catch (error) {
    release()
    throw error
  }
}

function tooLarge(maxBytes: number, when = ''): ForewordError {
  return new ForewordError(
    'body-too-large',
    `The body${when} is larger than the limit of ${maxBytes} bytes.`,
    { maxBytes },
    { hint: 'Send less, or raise through.maxBodyMegabytes.' },
  )
}
