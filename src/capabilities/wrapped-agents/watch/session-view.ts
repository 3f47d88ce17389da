import type { GatewayConnection, Io } from '../../../capability.ts'
import { apiPath, requestJson, readInput, requestList } from '../../../cli.ts'
import {
  calibratedManifest,
  calibratedTokens,
  type CallFigures,
  cutSentence,
  type Manifest,
  numberText,
} from '../../../context.ts'
import { defined, systemClock, isObject, parseJson } from '../../../platform.ts'
import { type CallSums, sumCalls, type WatchedCall, fetchSessionCalls, modelWindow } from '../watched-call.ts'

export interface SessionView {
  readonly session: string
  readonly title?: string
  /** The program whose calls they are; absent for a session of Foreword's own. */
  readonly client?: string
  readonly model?: string
  /** Of the last call that the conversation made, tokens. */
  readonly used: number
  /** Absent where it is not known. */
  readonly window?: number
  /** Tokens of the last call by slot, in reading order, without those that are empty. */
  readonly slots: readonly (readonly [slot: string, tokens: number])[]
  readonly sums: CallSums
  /** Of the last call that reported it: tokens of the prompt, and those of them that came from the cache. */
  readonly lastCache?: Pick<CallFigures, 'total' | 'cached'>
  /** The last time that turns were left out, or that something sent before had to be sent again. */
  readonly lastCut?: string
  readonly lastBreak?: string
  readonly last?: WatchedCall
}

export async function fetchSessionView(connection: GatewayConnection, session: string): Promise<SessionView> {
  const [row, calls] = await Promise.all([
    requestJson<SessionAnswer>(connection, apiPath('/api/sessions/', session)),
    fetchSessionCalls(connection, session),
  ])
  const last = calls.findLast(isConversation)
  const counted =
    last &&
    (await requestJson<Manifest>(connection, apiPath('/api/calls/', last.id, '/manifest')).catch(() => undefined))
  const manifest = counted && calibratedManifest(counted, last.figures.total)
  // The account of a call of another program has the room that the call took: nobody else knows what was free.
  const window = last?.foreign ? await modelWindow(connection, last.model) : manifest?.budget.window
  return viewOfSession({ session, ...defined({ title: row.title, manifest, window }), calls })
}

interface SessionAnswer {
  readonly title?: string
}

interface WatchedSession {
  readonly session: string
  readonly title?: string
  /** Oldest first. */
  readonly calls: readonly WatchedCall[]
  /** Of the last call of the conversation. */
  readonly manifest?: Manifest
  /** Of its model, tokens. */
  readonly window?: number
}

function viewOfSession({ session, title, calls, manifest, window }: WatchedSession): SessionView {
  const last = calls.at(-1)
  const conversation = calls.filter(isConversation)
  const newest = conversation.at(-1)
  const reported = conversation.findLast(
    ({ figures }) => figures.basis === 'reported' && figures.cached !== undefined,
  )?.figures
  const cut = conversation.findLast(({ cutRecord }) => cutRecord !== undefined)
  const broken = conversation.findLast(({ reuse }) => (reuse?.again ?? 0) > 0)
  return {
    session,
    used: manifest?.used ?? newest?.figures.total ?? 0,
    slots: Object.entries(manifest?.slots ?? {}).filter(([, tokens]) => tokens > 0),
    sums: sumCalls(calls),
    ...defined({
      title,
      client: calls.findLast(({ foreign }) => foreign)?.foreign?.client,
      model: newest?.model ?? last?.model,
      window,
      lastCache: reported,
      lastCut: cut?.cutRecord && cutSentence(cut.cutRecord, { total: cut.figures.total, used: cut.used }),
      lastBreak: broken && breakSentence(broken),
      last,
    }),
  }
}

function isConversation({ kind, foreign }: WatchedCall): boolean {
  return foreign === undefined ? kind !== 'note' : ['turn', 'sub-agent', 'compaction'].includes(foreign.kind)
}

/** `12,400 tokens were sent again: tools, tool:read changed (edited)`. */
function breakSentence({ reuse, figures, used }: WatchedCall): string {
  const { again = 0, firstChange } = reuse ?? {}
  const tokens = calibratedTokens(again, figures.total, used)
  const where =
    firstChange === undefined ? '' : ` from ${firstChange.id} (${firstChange.slot}) on: ${firstChange.cause}`
  return `${numberText(tokens)} tokens were sent again${where}`
}

/** How often a session is looked at, ms. */
const PAUSE = 500

/** The views of a session, one at once and one after each change of its calls, until `signal` is aborted. */
export async function* followSession(
  connection: GatewayConnection,
  session: string,
  signal: AbortSignal,
): AsyncGenerator<SessionView> {
  let seen: string | undefined
  while (!signal.aborted) {
    // Changes with every call, and costs little to ask for.
    const mark = JSON.stringify(await requestJson<unknown>(connection, apiPath('/api/sessions/', session)))
    if (mark !== seen) {
      seen = mark
      yield await fetchSessionView(connection, session)
    }
    await systemClock.sleep(PAUSE, signal)
  }
}

/** How long the description of a session may take to arrive, ms. */
const INPUT_LIMIT = 500

/** The client's session, which Claude Code writes to its status line as JSON with `session_id`; else `undefined`. */
export async function clientSessionIn(io: Io): Promise<string | undefined> {
  if (io.stdin.isTTY === true) return undefined
  const read = new AbortController()
  const given = readInput(io).finally(() => read.abort())
  await Promise.race([given, systemClock.sleep(io.firstInputMs ?? INPUT_LIMIT, read.signal)]).catch(() => undefined)
  const text = read.signal.aborted ? await given.catch(() => '') : ''
  // A pipe that stays open would keep this process.
  if (!read.signal.aborted && 'destroy' in io.stdin && typeof io.stdin.destroy === 'function') io.stdin.destroy()
  const value = parseJson(text)
  const id = isObject(value) ? value['session_id'] : undefined
  return typeof id === 'string' && id !== '' ? id : undefined
}

/** The session that a program calls `id`; `undefined` where it has made no call yet. */
export async function sessionOfClient(connection: GatewayConnection, id: string): Promise<string | undefined> {
  const sessions = await requestList<BoundSession>(connection, '/api/sessions?limit=200', 'sessions')
  return sessions.find(({ binding }) => binding?.conversation === id)?.id
}

interface BoundSession {
  readonly id: string
  readonly binding?: { readonly conversation: string }
}
