import { useCallback, useEffect, useRef, useState } from 'react'
import type { ApiError } from '../api/client.ts'
import { followSessionChanges } from '../api/session-changes.ts'
import type { SessionQuery } from '../api/listed-session.ts'
import { readSessions, SESSIONS_A_PAGE } from '../api/session-requests.ts'
import { type RowChange, type SessionRows, withChange, withPage } from './session-rows.ts'

/** The sessions that match a query, kept as they are now. */
export interface ListedRows extends SessionRows {
  readonly loaded: boolean
  readonly error: ApiError | undefined
  /** Reads the next page. */
  readMore(): void
}

interface Reading {
  readonly key: string
  reading: boolean
  count: number
  /** What changed while a page was being read. */
  readonly changes: RowChange[]
}

/** When the list is read again that the gateway could not be asked for, ms. */
const AGAIN_MS = 3_000

const nothing: SessionRows = { rows: [], complete: false }

/** Reads sessions page by page, and follows what changes in them. */
export function useSessionRows(query: SessionQuery): ListedRows {
  const key = JSON.stringify(query)
  const [state, setState] = useState({ key, loaded: false, ...nothing })
  const [error, setError] = useState<ApiError>()
  const current = useRef<Reading>({ key, reading: false, count: 0, changes: [] })
  const shown = state.key === key ? state : { key, loaded: false, ...nothing }
  current.current.count = shown.rows.length

  const read = useCallback(
    async (offset: number): Promise<void> => {
      const reading: Reading = { key, reading: true, count: current.current.count, changes: [] }
      current.current = reading
      try {
        const given = JSON.parse(key) as SessionQuery
        const page = await readSessions(given, offset)
        if (current.current !== reading) return
        setError(undefined)
        setState((before) => {
          const paged = withPage(offset === 0 || before.key !== key ? nothing : before, page, SESSIONS_A_PAGE)
          // The page may have been read before what changed while it was on its way.
          return {
            key,
            loaded: true,
            ...reading.changes.reduce((rows, change) => withChange(rows, change, given), paged),
          }
        })
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
      if (current.current.reading) current.current.changes.push(change)
      setState((before) => (before.key === key ? { ...before, ...withChange(before, change, given) } : before))
    })
  }, [key, read])

  useEffect(() => {
    if (error?.code !== 'offline') return
    const again = (): void => void read(0)
    const timer = setTimeout(again, AGAIN_MS)
    globalThis.addEventListener('online', again)
    return () => {
      clearTimeout(timer)
      globalThis.removeEventListener('online', again)
    }
  }, [error, read])

  const readMore = (): void => {
    if (!shown.complete && shown.loaded && !current.current.reading) void read(current.current.count)
  }
  return { ...shown, error, readMore }
}
