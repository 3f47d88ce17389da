import type { ListedSession, SessionQuery } from '../api/listed-session.ts'

/** What changes in the list, as the gateway reports it. */
export type RowChange =
  | { readonly type: 'session'; readonly session: ListedSession }
  | { readonly type: 'deleted'; readonly id: string }

/** A part of the list of sessions, from its beginning. */
export interface SessionRows {
  /** Newest activity first. */
  readonly rows: readonly ListedSession[]
  /** Whether these are all. */
  readonly complete: boolean
}

/**
 * The rows with another page behind them. What moved from one page to the next meanwhile is not shown twice; a page
 * without anything new leaves the same array.
 */
export function withPage({ rows }: SessionRows, page: readonly ListedSession[], full: number): SessionRows {
  const known = new Set(rows.map(({ id }) => id))
  const added = page.filter(({ id }) => !known.has(id))
  return { rows: added.length === 0 ? rows : [...rows, ...added], complete: page.length < full }
}

export function withChange(before: SessionRows, change: RowChange, query: SessionQuery): SessionRows {
  return change.type === 'session' ? withSession(before, change.session, query) : withoutSession(before, change.id)
}

export function withoutSession({ rows, complete }: SessionRows, id: string): SessionRows {
  return { rows: rows.filter((row) => row.id !== id), complete }
}

/** The rows after a session has changed: it is in its place, or gone where it does not match the query any more. */
export function withSession(before: SessionRows, session: ListedSession, query: SessionQuery): SessionRows {
  // What was read meanwhile may be newer: the log of a session only grows.
  const shown = before.rows.find(({ id }) => id === session.id)
  if (shown !== undefined && shown.entries > session.entries) return before
  const { rows, complete } = withoutSession(before, session.id)
  if (!matches(session, query)) return { rows, complete }
  const place = rows.findIndex((row) => isBefore(session, row))
  if (place !== -1) return { rows: rows.toSpliced(place, 0, session), complete }
  // Behind the last row it is shown only where no page is missing in between.
  return complete || before.rows.at(-1)?.id === session.id ? { rows: [...rows, session], complete } : { rows, complete }
}

function matches(session: ListedSession, { folder, state, pinned }: SessionQuery): boolean {
  return (
    (folder === undefined || session.folder === folder) &&
    (state === undefined || session.state === state) &&
    (pinned === undefined || session.pinned === pinned)
  )
}

function isBefore(one: ListedSession, other: ListedSession): boolean {
  return one.updated === other.updated ? one.id > other.id : one.updated > other.updated
}
