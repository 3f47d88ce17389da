import { defined } from '../platform.ts'
import type { SessionRow, LogStore } from '../session.ts'
import { ask } from './answer.ts'
import type { Connection } from '../capability.ts'
import { CommandFailure } from './failure.ts'
import { type IdQuery, type NamedById, theOneBeginning } from './one-beginning.ts'
import { noSuchSession } from './open-store.ts'
import { timeText } from './time-text.ts'

/** The id of the session that a word means: its id, a beginning of it, or `last`, the one with the newest activity. */
export async function findSession(connection: Connection, word: string): Promise<string> {
  return (
    await theOneBeginning(
      word,
      among((query) => fetchSessions(connection, query)),
    )
  ).id
}

/** The session with the newest activity that is no conversation of a channel: what is said there would surprise people elsewhere. */
export async function newestTalk(connection: Connection): Promise<SessionRow> {
  const newest = await fetchSessions(connection, { limit: 200 })
  const talk = newest.find(({ binding }) => binding === undefined)
  if (talk !== undefined) return talk
  throw new CommandFailure('not-found', 'there is no session yet to go on in.', {
    hint: 'Leave `--continue` out: the message then begins one.',
  })
}

/** The session that a word means, in a store that is read without a gateway. */
export async function storedSession(store: LogStore, word: string): Promise<SessionRow> {
  return await theOneBeginning(
    word,
    among((query) => store.sessions(query)),
  )
}

function among(find: NamedById<SessionRow>['find']): NamedById<SessionRow> {
  const now = new Date()
  return {
    kind: 'session',
    idOf: ({ id }) => id,
    find,
    describe: ({ title = '', updated, turns }) =>
      `${timeText(updated, now)}  ${turns} ${turns === 1 ? 'turn' : 'turns'}  ${title}`,
    none: noSuchSession,
  }
}

async function fetchSessions(connection: Connection, { limit, beginning }: IdQuery): Promise<readonly SessionRow[]> {
  const query = new URLSearchParams({ limit: String(limit), ...defined({ beginning }) })
  return (await ask<{ readonly sessions: readonly SessionRow[] }>(connection, `/api/sessions?${query.toString()}`))
    .sessions
}
