import { turnView } from '../../runtime.ts'
import type { LogStore } from '../../session.ts'

/** Earlier turns that are looked at. */
const LOOK_BACK = 50

/**
 * Whether every reply before that of a turn stands in its chat, so that none is overtaken: after a restart a turn may go on
 * while an older reply has not been sent yet. A reply that was passed over counts as missing: the next one then comes whole.
 */
export async function isNextReply(store: LogStore, session: string, turn: string): Promise<boolean> {
  const row = await store.turn(session, turn)
  if (!row) return false
  for (const earlier of await store.turns(session, { limit: LOOK_BACK, before: row.ordinal })) {
    const delivered = await store.entries(session, { turn: earlier.turn, types: ['delivered'] })
    if (delivered.length > 0) return true
    const { text, outcome } = await turnView(store, session, earlier.turn)
    if (text !== '' || outcome?.type !== 'cancelled') return false
  }
  return true
}
