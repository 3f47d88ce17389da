import type { GatewayConnection } from '../capability.ts'
import { countedText, type CallFigures, type CutRecord, exactLine } from '../context.ts'
import { defined } from '../platform.ts'
import { type CallRecord, type LogStore, type SessionRow, wasRefused } from '../session.ts'
import { requestJson, apiPath, requestList } from './answer.ts'
import { CommandFailure } from './failure.ts'
import { type IdQuery, type NamedById, findByIdPrefix } from './find-one.ts'
import { unknownSession } from './open-store.ts'
import { timeText } from './time-text.ts'

/** The id of the session that a word means: its id, a beginning of it, or `last`, the one with the newest activity. */
export async function findSession(connection: GatewayConnection, word: string): Promise<string> {
  const sessions = among((query) => fetchSessions(connection, query))
  return (await findByIdPrefix(word, sessions)).id
}

/** The session with the newest activity that is not bound to a channel, where new messages would surprise its people. */
export async function findNewestSession(connection: GatewayConnection): Promise<SessionRow> {
  const newest = await fetchSessions(connection, { limit: 200 })
  const talk = newest.find(({ binding }) => binding === undefined)
  if (talk !== undefined) return talk
  throw new CommandFailure('not-found', 'No sessions yet.', { hint: 'Leave out `--continue` to start one.' })
}

/** The same, read from a store without a gateway. */
export async function findStoredSession(store: LogStore, word: string): Promise<SessionRow> {
  const sessions = among((query) => store.sessions(query))
  return await findByIdPrefix(word, sessions)
}

function among(find: NamedById<SessionRow>['find']): NamedById<SessionRow> {
  const now = new Date()
  return {
    kind: 'session',
    idOf: ({ id }) => id,
    find,
    describe: ({ title = '', updated, turns }) =>
      `${timeText(updated, now)}  ${countedText(turns, 'turn')}  ${exactLine(title)}`,
    none: unknownSession,
  }
}

async function fetchSessions(
  connection: GatewayConnection,
  { limit, beginning }: IdQuery,
): Promise<readonly SessionRow[]> {
  const query = new URLSearchParams({ limit: String(limit), ...defined({ beginning }) })
  return await requestList<SessionRow>(connection, `/api/sessions?${query.toString()}`, 'sessions')
}

export type CallLine = Pick<
  CallRecord,
  'id' | 'session' | 'turn' | 'time' | 'model' | 'outcome' | 'kind' | 'foreign'
> & {
  readonly used: number
  readonly figures: CallFigures
  /** Against the call before. */
  readonly reuse?: { readonly tokens: number; readonly firstChange?: { readonly cause: string; readonly why?: string } }
  readonly cutRecord?: CutRecord
  /** US dollars; absent where it is not known. */
  readonly cost?: number
}

/** The most that the gateway lists at once. */
const PAGE = 1_000

/** Every call of a session, oldest first, page by page. */
export async function fetchAllCalls(connection: GatewayConnection, session: string): Promise<readonly CallLine[]> {
  const all: CallLine[] = []
  for (;;) {
    const query = new URLSearchParams({ limit: String(PAGE), after: all.at(-1)?.id ?? '' })
    const path = apiPath('/api/sessions/', session, `/calls?${query.toString()}`)
    const calls = await requestList<CallLine>(connection, path, 'calls')
    all.push(...calls)
    if (calls.length < PAGE) return all
  }
}

/** The call that a word means: its id, a beginning of it, or `last` and `last~N` of all calls, or of those of `session`. */
export async function findCall(connection: GatewayConnection, word: string, session?: string): Promise<string> {
  const id = session === undefined ? undefined : await findSession(connection, session)
  const now = new Date()
  const found = await findByIdPrefix<CallLine>(word, {
    kind: 'call',
    idOf: (line) => line.id,
    find: (query) => fetchCalls(connection, query, id),
    describe: ({ time, model, session: of }) => `${timeText(time, now)}  ${model}  ${of ?? ''}`,
    none: (none) => noSuchCall(none, id),
  })
  return found.id
}

async function fetchCalls(
  connection: GatewayConnection,
  { limit, beginning }: IdQuery,
  session: string | undefined,
): Promise<readonly CallLine[]> {
  if (session !== undefined && beginning === undefined) {
    const path = apiPath('/api/sessions/', session, `/calls?limit=${withNotes(limit)}`)
    return steps((await requestJson<{ readonly calls: readonly CallLine[] }>(connection, path)).calls).toReversed()
  }
  const query = new URLSearchParams({
    limit: String(beginning === undefined ? withNotes(limit) : limit),
    ...defined({ beginning }),
  })
  const calls = await requestList<CallLine>(connection, `/api/calls?${query.toString()}`, 'calls')
  const ofSession = session === undefined ? calls : calls.filter((line) => line.session === session)
  return beginning === undefined ? steps(ofSession) : ofSession
}

/** So many calls have so many steps among them: a turn asks for one note at most. */
function withNotes(limit: number): number {
  return Math.min(1000, limit * 2 + 2)
}

/** `last` means an answer: a call that was refused, or asked for a note, a title or a count is none. */
function steps(calls: readonly CallLine[]): readonly CallLine[] {
  return calls.filter(
    (call) => call.kind === undefined || (call.foreign && !ASIDE.has(call.foreign.kind) && !isUnpaid(call)),
  )
}

/** Whether a call of another program only counted tokens, or was refused. */
export function isUnpaid({ foreign, outcome }: CallLine): boolean {
  return foreign?.kind === 'count' || (foreign !== undefined && outcome !== undefined && wasRefused(outcome))
}

/** What other programs ask for beside their conversations. */
const ASIDE: ReadonlySet<string> = new Set(['title', 'count', 'quota', 'embedding'])

function noSuchCall(word: string, session: string | undefined): CommandFailure {
  const where = session === undefined ? '' : ` in session ${session}`
  return new CommandFailure('not-found', `No call matches "${word}"${where}.`, {
    hint: 'List the calls of a session with `foreword calls SESSION`, those of the newest with `foreword calls last`.',
  })
}
