import type { Recall } from '../../search.ts'
import type { SessionStore } from '../../session.ts'

/**
 * Ids of the earlier sessions of a session's conversation, newest first: those begun in the same conversation of the same
 * channel, or, where no channel is named, the one that it was begun after, and those before that. None of one that is alone.
 */
export async function earlierSessions(
  store: Pick<SessionStore, 'entries'>,
  recall: Pick<Recall, 'conversationOf'>,
  session: string,
): Promise<readonly string[]> {
  const found = new Set([session])
  for (let at: string | undefined = session; at !== undefined;) {
    const [start] = await store.entries(at, { limit: 1 })
    if (start?.type !== 'session-start') break
    if (start.channel) {
      for (const id of await recall.conversationOf(at)) found.add(id)
      break
    }
    const { after } = start
    at = after === undefined || found.has(after) ? undefined : after
    if (at !== undefined) found.add(at)
  }
  found.delete(session)
  return [...found]
}
