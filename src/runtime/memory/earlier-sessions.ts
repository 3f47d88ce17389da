import type { Binding, SessionRow, SessionStore } from '../../session.ts'

/** Sessions that are read together. */
const PAGE = 200

type Sessions = Pick<SessionStore, 'entries' | 'session' | 'sessions'>

/**
 * Earlier sessions of the conversation of a session, newest first: those begun in the same conversation of the same channel,
 * or, where no channel is named, the one that it was begun after, and those before that. None of one that is alone.
 */
export async function earlierSessions(store: Sessions, session: string): Promise<readonly SessionRow[]> {
  const found = new Map<string, SessionRow>()
  for (let at: string | undefined = session; at !== undefined;) {
    const { binding, after } = await beginningOf(store, at)
    if (binding) {
      for (const row of await sessionsOf(store, binding, at)) found.set(row.id, row)
      break
    }
    const row: SessionRow | undefined = after === undefined || found.has(after) ? undefined : await store.session(after)
    if (row) found.set(row.id, row)
    at = row?.id
  }
  found.delete(session)
  return [...found.values()]
}

async function sessionsOf(store: Sessions, binding: Binding, session: string): Promise<readonly SessionRow[]> {
  const row = await store.session(session)
  if (!row) return []
  const found: SessionRow[] = []
  for (let offset = 0; ; offset += PAGE) {
    const page = await store.sessions({ limit: PAGE, offset })
    const beginnings = await Promise.all(page.map(({ id }) => beginningOf(store, id)))
    for (const [index, each] of page.entries()) {
      if (each.id === session || each.created > row.created) continue
      if (isSame(beginnings[index]!.binding, binding)) found.push(each)
    }
    if (page.length < PAGE) break
  }
  return found.toSorted(
    (one, other) => other.created.localeCompare(one.created) || other.updated.localeCompare(one.updated),
  )
}

async function beginningOf(
  store: Sessions,
  session: string,
): Promise<{ readonly binding?: Binding; readonly after?: string }> {
  const [start] = await store.entries(session, { limit: 1 })
  if (start?.type !== 'session-start') return {}
  const { channel = (await store.session(session))?.binding, after } = start
  return { ...(channel ? { binding: channel } : {}), ...(after === undefined ? {} : { after }) }
}

function isSame(one: Binding | undefined, other: Binding): boolean {
  return one?.channel === other.channel && one.conversation === other.conversation
}
