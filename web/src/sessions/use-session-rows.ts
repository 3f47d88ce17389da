import { useCallback, useEffect, useMemo, useRef, useState } from 'react'
import type { ApiError } from '../api/client.ts'
import { untilReachable } from '../api/reachable.ts'
import { followSessionChanges } from '../api/session-changes.ts'
import type { SessionQuery } from '../api/listed-session.ts'
import { readSessions, SESSIONS_A_PAGE } from '../api/session-requests.ts'
import { type RowChange, type SessionRows, withChange, withPage } from './session-rows.ts'

/** The sessions that match a query, kept as they are now. Until those of another query are there, it has those of the one before. */
export interface ListedRows extends SessionRows {
  /** Whether the rows are those of the query. */
  readonly loaded: boolean
  /** The query that the rows match. */
  readonly matched: SessionQuery
  readonly error: ApiError | undefined
  readMore(): void
}

interface Reading {
  reading: boolean
  readonly changes: RowChange[]
}

interface KeyedRows extends SessionRows {
  readonly key: string
  readonly loaded: boolean
}

/** Milliseconds until a list that could not be read is asked for again. */
const AGAIN_MS = 3_000

const nothing: SessionRows = { rows: [], complete: false }

/** Reads sessions page by page, and follows what changes in them. */
export function useSessionRows(query: SessionQuery): ListedRows {
  const key = JSON.stringify(query)
  const unread = { key, loaded: false, ...nothing }
  const [state, setState] = useState<KeyedRows>(unread)
  const [error, setError] = useState<ApiError>()
  const current = useRef<Reading>({ reading: false, changes: [] })
  // A page that has arrived counts at once: before it is rendered, a scroll may ask for the next one.
  const latest = useRef<KeyedRows>(unread)
  const isOther = state.key !== key
  const shown = !isOther ? state : error === undefined ? { ...state, loaded: false } : unread

  const matched = useMemo(() => JSON.parse(shown.key) as SessionQuery, [shown.key])

  const keep = useCallback((rows: KeyedRows): void => {
    latest.current = rows
    setState(rows)
  }, [])

  const read = useCallback(
    async (from: 'start' | 'end'): Promise<void> => {
      const reading: Reading = { reading: true, changes: [] }
      current.current = reading
      const before = latest.current.key === key ? latest.current : nothing
      // What is read from its start again is read as far as it is shown, so that nobody loses the place.
      const wanted = from === 'start' ? before.rows.length : 0
      let paged = from === 'start' ? nothing : before
      try {
        const given = JSON.parse(key) as SessionQuery
        for (let isEnough = false; !isEnough;) {
          const page = await readSessions(given, paged.rows.length)
          if (current.current !== reading) return
          const grown = withPage(paged, page, SESSIONS_A_PAGE)
          isEnough = grown.complete || grown.rows.length >= wanted || grown.rows.length === paged.rows.length
          paged = grown
        }
        setError(undefined)
        // The page may have been read before what changed while it was on its way.
        const rows = reading.changes.reduce((changed, change) => withChange(changed, change, given), paged)
        keep({ key, loaded: true, ...rows })
      } catch (failed) {
        if (current.current === reading) setError(failed as ApiError)
      } finally {
        reading.reading = false
      }
    },
    [key, keep],
  )

  useEffect(() => {
    const given = JSON.parse(key) as SessionQuery
    return followSessionChanges((change) => {
      // The words of a query are compared by the gateway alone.
      if (change.type === 'ready' || (given.q !== undefined && change.type === 'session')) return void read('start')
      if (current.current.reading) current.current.changes.push(change)
      const before = latest.current
      if (before.key === key) keep({ ...before, ...withChange(before, change, given) })
    })
  }, [key, keep, read])

  useEffect(() => {
    if (error?.code !== 'offline') return
    const controller = new AbortController()
    const { signal } = controller
    void untilReachable(AGAIN_MS, signal).then(() => (signal.aborted ? undefined : read('start')))
    return () => controller.abort()
  }, [error, read])

  const readMore = (): void => {
    const { loaded, complete, key: readKey } = latest.current
    if (readKey === key && loaded && !complete && !current.current.reading) void read('end')
  }
  return { ...shown, matched, error, readMore }
}
