import type { Binding, SessionRow, SessionStore } from '../../session.ts'
import { startedAt } from '../outbox-replies.ts'

/** Sessions that are read together. */
const PAGE = 200

/**
 * Earlier sessions of the conversation that a session was begun in, newest first: the same conversation of the same channel.
 * None of a session that belongs to no conversation.
 */
export async function earlierSessions(
  store: Pick<SessionStore, 'entries' | 'session' | 'sessions'>,
  session: string,
): Promise<readonly SessionRow[]> {
  const [row, binding] = await Promise.all([store.session(session), conversationOf(store, session)])
  if (!row || !binding) return []
  const found: SessionRow[] = []
  for (let offset = 0; ; offset += PAGE) {
    const page = await store.sessions({ limit: PAGE, offset })
    for (const each of page) {
      if (each.id === session || each.created > row.created) continue
      if (isSame(await conversationOf(store, each.id), binding)) found.push(each)
    }
    if (page.length < PAGE) break
  }
  return found.toSorted((one, other) => other.created.localeCompare(one.created) || other.id.localeCompare(one.id))
}

/** Where it was begun; a session may have been bound later, too. */
async function conversationOf(
  store: Pick<SessionStore, 'entries' | 'session'>,
  session: string,
): Promise<Binding | undefined> {
  return (await startedAt(store as SessionStore, session)) ?? (await store.session(session))?.binding
}

function isSame(one: Binding | undefined, other: Binding): boolean {
  return one?.channel === other.channel && one.conversation === other.conversation
}
