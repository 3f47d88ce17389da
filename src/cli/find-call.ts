import { defined } from '../platform.ts'
import type { CallRecord } from '../session.ts'
import { ask, pathTo } from './answer.ts'
import type { Connection } from '../capability.ts'
import { CommandFailure } from './failure.ts'
import { findSession } from './find-session.ts'
import { type IdQuery, theOneBeginning } from './one-beginning.ts'
import { timeText } from './time-text.ts'

/** A record as lists of calls show it: without its manifest. */
export type CallLine = Pick<CallRecord, 'id' | 'session' | 'time' | 'model' | 'outcome'> & { readonly used: number }

/**
 * The id of the call that a word means: its id, a beginning of it, or `last` and `last~N`, counted back from the newest call
 * of all, or of the `session` that another word means.
 */
export async function findCall(connection: Connection, word: string, session?: string): Promise<string> {
  const id = session === undefined ? undefined : await findSession(connection, session)
  const now = new Date()
  const found = await theOneBeginning<CallLine>(word, {
    kind: 'call',
    idOf: (line) => line.id,
    find: (query) => fetchCalls(connection, query, id),
    describe: ({ time, model, session: of }) => `${timeText(time, now)}  ${model}  ${of ?? ''}`,
    none: (none) => noSuchCall(none, id),
  })
  return found.id
}

async function fetchCalls(
  connection: Connection,
  { limit, beginning }: IdQuery,
  session: string | undefined,
): Promise<readonly CallLine[]> {
  if (session !== undefined && beginning === undefined) {
    const path = pathTo('/api/sessions/', session, `/calls?limit=${limit}`)
    return (await ask<{ readonly calls: readonly CallLine[] }>(connection, path)).calls.toReversed()
  }
  const query = new URLSearchParams({ limit: String(limit), ...defined({ beginning }) })
  const { calls } = await ask<{ readonly calls: readonly CallLine[] }>(connection, `/api/calls?${query.toString()}`)
  return session === undefined ? calls : calls.filter((line) => line.session === session)
}

function noSuchCall(word: string, session: string | undefined): CommandFailure {
  const where = session === undefined ? '' : ` in session ${session}`
  return new CommandFailure('not-found', `there is no call ${word}${where}.`, {
    hint: '`foreword calls SESSION` lists the calls of a session; `foreword calls last` those of the newest.',
  })
}
