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
  const [{ calls }, { exchanges }, findings] = await Promise.all([
    api<{ readonly calls: readonly Omit<ForeignCall, 'said'>[] }>(`${path}/calls?limit=${most}`),
    api<{ readonly exchanges: readonly ForeignExchange[] }>(`${path}/exchanges?limit=${most}`),
    api<SessionFindings>(`${path}/findings`),
  ])
  const said = new Map(exchanges.map((exchange) => [exchange.call, exchange]))
  return { calls: calls.map((call) => ({ ...call, said: said.get(call.id) })), findings }
}
