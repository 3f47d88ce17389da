import { useCallback, useEffect, useRef, useState } from 'react'
import type { ApiError } from '../api/client.ts'
import { followSessionChanges } from '../api/session-changes.ts'
import type { SessionQuery } from '../api/listed-session.ts'
import { readSessions, SESSIONS_A_PAGE } from '../api/session-requests.ts'
import { type SessionRows, withoutSession, withPage, withSession } from './session-rows.ts'

/** The sessions that match a query, kept as they are now. */
export interface ListedRows extends SessionRows {
  readonly loaded: boolean
  readonly error: ApiError | undefined
  /** Reads the next page. */
  readMore(): void
}

const nothing: SessionRows = { rows: [], complete: false }

/** Reads sessions page by page, and follows what changes in them. */
export function useSessionRows(query: SessionQuery): ListedRows {
  const key = JSON.stringify(query)
  const [state, setState] = useState({ key, loaded: false, ...nothing })
  const [error, setError] = useState<ApiError>()
  const current = useRef({ key, reading: false, count: 0 })
  const shown = state.key === key ? state : { key, loaded: false, ...nothing }
  current.current.count = shown.rows.length

  const read = useCallback(
    async (offset: number): Promise<void> => {
      const reading = { key, reading: true, count: current.current.count }
      current.current = reading
      try {
        const page = await readSessions(JSON.parse(key) as SessionQuery, offset)
        if (current.current !== reading) return
        setError(undefined)
        setState((before) => ({
          key,
          loaded: true,
          ...withPage(offset === 0 || before.key !== key ? nothing : before, page, SESSIONS_A_PAGE),
        }))
      } catch (failed) {
        if (current.current === reading) setError(failed as ApiError)
      } finally {
        reading.reading = false
      }
    },
    [key],
  )

  useEffect(() => {
    void read(0)
    const given = JSON.parse(key) as SessionQuery
    return followSessionChanges((change) => {
      // The words of a query are compared by the gateway alone.
      if (change.type === 'ready' || (given.q !== undefined && change.type === 'session')) return void read(0)
      setState((before) => {
        if (before.key !== key) return before
        const after =
          change.type === 'session' ? withSession(before, change.session, given) : withoutSession(before, change.id)
        return { ...before, ...after }
      })
    })
  }, [key, read])

  const readMore = (): void => {
    if (!shown.complete && shown.loaded && !current.current.reading) void read(current.current.count)
  }
  return { ...shown, error, readMore }
}
