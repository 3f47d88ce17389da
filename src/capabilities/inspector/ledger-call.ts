import { RuntimeError } from '../../capability.ts'
import { defined } from '../../platform.ts'
import type { CallRecord, SessionStore } from '../../session.ts'

export interface FoundCall {
  readonly record: CallRecord
  readonly before?: CallRecord
}

/** Calls among which the newest one that is no note is looked for. */
const NEWEST = 20
/** Calls of a session among which the one before is looked for. */
const EARLIER = 200

/**
 * The call of this id or of an unambiguous beginning of one; `last` is the newest. Rejects with `not-found`, and with
 * `invalid-input` for a beginning of several ids.
 */
export async function readLedgerCall(
  store: Pick<SessionStore, 'call' | 'calls' | 'findCalls'>,
  id: string,
  session: string | undefined,
): Promise<FoundCall> {
  const record = id === 'last' ? await newestCall(store, session) : await callOf(store, id)
  if (record.session === undefined) return { record }
  const calls = (await store.calls(record.session, { last: EARLIER })).filter(({ kind }) => kind !== 'note')
  const at = calls.findIndex((call) => call.id === record.id)
  return { record, ...defined({ before: at > 0 ? calls[at - 1] : undefined }) }
}

async function newestCall(store: Pick<SessionStore, 'calls' | 'findCalls'>, session: string | undefined) {
  const newest =
    session === undefined
      ? await store.findCalls({ limit: NEWEST })
      : (await store.calls(session, { last: NEWEST })).toReversed()
  const found = newest.find(({ kind }) => kind !== 'note') ?? newest[0]
  if (found) return found
  const where =
    session === undefined ? 'There is no call yet.' : `There is no call in a session ${JSON.stringify(session)}.`
  throw new RuntimeError('not-found', where)
}

async function callOf(store: Pick<SessionStore, 'call' | 'findCalls'>, id: string): Promise<CallRecord> {
  const exact = await store.call(id)
  if (exact) return exact
  const [first, second] = await store.findCalls({ limit: 2, beginning: id })
  if (first && second) {
    throw new RuntimeError(
      'invalid-input',
      `Several calls have an id that begins with ${JSON.stringify(id)}. Give more of it.`,
    )
  }
  if (first) return first
  throw new RuntimeError(
    'not-found',
    `There is no call ${JSON.stringify(id)}. Use the id that \`foreword calls\` shows, or last.`,
  )
}
