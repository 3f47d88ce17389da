import { useEffect } from 'react'
import useSWR from 'swr'
import type { ForeignExchange, SessionFindings } from '../../../src/capability.ts'
import { api, type ApiError } from '../api/client.ts'
import type { ListedCall } from '../api/resources.ts'
import { followSessionChanges } from '../api/session-changes.ts'

/** A call of another program with what was said in it. */
export interface ForeignCall extends ListedCall {
  /** US dollars; absent where it is not known. */
  readonly cost?: number
  /** Compared with the previous call of its kind. */
  readonly reuse?: { readonly tokens: number; readonly firstChange?: { readonly cause: string; readonly why?: string } }
  readonly said: ForeignExchange | undefined
}

export interface ForeignSession {
  /** The newest calls, oldest first. */
  readonly calls: readonly ForeignCall[]
  readonly findings: SessionFindings | undefined
}

/** The newest calls of a session of another program, read again whenever one has ended. */
export function useForeignSession(session: string, most: number): { data?: ForeignSession; error?: ApiError } {
  const { data, error, mutate } = useSWR<ForeignSession, ApiError>(
    ['foreign', session, most],
    () => readSession(session, most),
    { keepPreviousData: true, revalidateOnMount: false },
  )
  useEffect(
    () =>
      followSessionChanges((change) => {
        if (change.type === 'ready' || (change.type === 'session' && change.session.id === session)) void mutate()
      }),
    [session, mutate],
  )
  return { ...(data && { data }), ...(error && { error }) }
}

async function readSession(session: string, most: number): Promise<ForeignSession> {
  const path = `/api/sessions/${encodeURIComponent(session)}`
  const [calls, exchanges, findings] = await Promise.all([
    readNewest<Omit<ForeignCall, 'said'>>(path, 'calls', most, ({ id }) => id),
    readNewest<ForeignExchange>(path, 'exchanges', most, ({ call }) => call),
    api<SessionFindings>(`${path}/findings`),
  ])
  const said = new Map(exchanges.map((exchange) => [exchange.call, exchange]))
  return { calls: calls.map((call) => ({ ...call, said: said.get(call.id) })), findings }
}

/** The most that the gateway lists at once. */
const PAGE = 1_000

/** The newest of a list of calls, oldest first, page by page. */
async function readNewest<Item>(
  path: string,
  name: 'calls' | 'exchanges',
  most: number,
  callOf: (item: Item) => string,
): Promise<readonly Item[]> {
  let all: readonly Item[] = []
  for (;;) {
    const limit = Math.min(PAGE, most - all.length)
    const query = new URLSearchParams({ limit: String(limit), ...(all[0] && { before: callOf(all[0]) }) })
    const { [name]: page } = await api<Record<typeof name, readonly Item[]>>(`${path}/${name}?${query.toString()}`)
    all = [...page, ...all]
    if (page.length < limit || all.length === most) return all
  }
}
