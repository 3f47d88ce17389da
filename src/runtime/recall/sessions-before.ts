import type { LogStore } from '../../session.ts'

/**
 * A session, the one that it was begun after where no channel says to which conversation it belongs, and those before that;
 * the last of them may belong to a conversation of a channel.
 */
export async function sessionsBefore(
  store: Pick<LogStore, 'entries'>,
  session: string,
): Promise<readonly [string, ...string[]]> {
  const found: [string, ...string[]] = [session]
  for (;;) {
    const after = await begunAfter(store, found.at(-1)!)
    if (after === undefined || found.includes(after)) return found
    found.push(after)
  }
}

async function begunAfter(store: Pick<LogStore, 'entries'>, session: string): Promise<string | undefined> {
  const [start] = await store.entries(session, { limit: 1 })
  return start?.type === 'session-start' && !start.channel ? start.after : undefined
}
