import useSWR from 'swr'
import { api, type ApiError } from '../api/client.ts'
import { type CallPage, type ListedCall, type ReportedManifest, useResource } from '../api/resources.ts'
import type { Inspected } from './share-late-panel.tsx'

/** The calls of a session, oldest first; `undefined` while they are read. They are read again when `version` changes. */
export function useCalls(session: string | undefined, most = 1000, version = 0): readonly ListedCall[] | undefined {
  const path = session === undefined ? undefined : `/api/sessions/${encodeURIComponent(session)}/calls?limit=${most}`
  const { data } = useSWR<CallPage, ApiError>(path && [path, version], () => api<CallPage>(path!), {
    keepPreviousData: true,
  })
  // A call that asked for a note is no step of the conversation, nor is one for a title.
  return data?.calls.filter(({ kind, foreign }) => kind === undefined || (foreign && !ASIDE.has(foreign.kind)))
}

const ASIDE: ReadonlySet<string> = new Set(['title', 'count', 'quota', 'embedding'])

/** Of calls of another program, those of the same kind and agent as this one: each goes on from the one before it. */
export function inOneLine(calls: readonly ListedCall[], call: string | undefined): readonly ListedCall[] {
  const line = calls.find(({ id }) => id === call)?.foreign
  if (line === undefined) return calls
  return calls.filter(({ foreign }) => foreign?.kind === line.kind && foreign.session === line.session)
}

/** The id of the call before one, or of the newest where the next one is looked at; `undefined`: there is none, or it is still read. */
export function usePreviousCall({ session, call, next }: Inspected): string | undefined {
  const all = useCalls(session, call === undefined ? 4 : 1000, call === undefined ? next.settledTurns : 0) ?? []
  const calls = inOneLine(all, call)
  const at = call === undefined ? calls.length : calls.findIndex(({ id }) => id === call)
  return calls[at - 1]?.id
}

/** The account of a call; `undefined` while it is read, or where none is named. */
export function useAccount(call: string | undefined): ReportedManifest | undefined {
  return useResource<ReportedManifest>(
    call === undefined ? undefined : `/api/calls/${encodeURIComponent(call)}/manifest`,
    { revalidateOnFocus: false },
  ).data
}
