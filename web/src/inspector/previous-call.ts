import useSWR from 'swr'
import { api, type ApiError } from '../api/client.ts'
import type { Inspected } from './inspected.ts'
import { type CallPage, type ListedCall, type ReportedManifest, useResource } from '../api/resources.ts'

/** The newest calls of a session, oldest first; `undefined` while they are read. They are read again when `version` changes. */
export function useCalls(session: string | undefined, most: number, version = 0): readonly ListedCall[] | undefined {
  const { data } = useSWR<CallPage, ApiError>(
    session === undefined ? undefined : ['calls', session, most, version],
    () => api<CallPage>(`/api/sessions/${encodeURIComponent(session!)}/calls?limit=${most}`),
    { keepPreviousData: true },
  )
  return data?.calls.filter(isStep)
}

/** The same to the first one. */
export function useAllCalls(session: string | undefined, version = 0): readonly ListedCall[] | undefined {
  const { data } = useSWR<readonly ListedCall[], ApiError>(
    session === undefined ? undefined : ['all-calls', session, version],
    () => readAllCalls(session!),
    { keepPreviousData: true },
  )
  return data?.filter(isStep)
}

/** The most that the gateway lists at once. */
const PAGE = 1_000

/** Every call of a session, oldest first, page by page. */
export async function readAllCalls<Call extends { readonly id: string } = ListedCall>(
  session: string,
): Promise<readonly Call[]> {
  const all: Call[] = []
  for (;;) {
    const query = new URLSearchParams({ limit: String(PAGE), after: all.at(-1)?.id ?? '' })
    const { calls } = await api<{ readonly calls: readonly Call[] }>(
      `/api/sessions/${encodeURIComponent(session)}/calls?${query.toString()}`,
    )
    all.push(...calls)
    if (calls.length < PAGE) return all
  }
}

/** A call that asked for a note is no step of the conversation, nor is one for a title. */
function isStep({ kind, foreign }: ListedCall): boolean {
  return kind === undefined || (foreign !== undefined && !ASIDE.has(foreign.kind))
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
  const newest = useCalls(call === undefined ? session : undefined, 4, next.settledTurns) ?? []
  const all = inOneLine(useAllCalls(call === undefined ? undefined : session) ?? [], call)
  if (call === undefined) return newest.at(-1)?.id
  return all[all.findIndex(({ id }) => id === call) - 1]?.id
}

/** The account of a call; `undefined` while it is read, or where none is named. */
export function useAccount(call: string | undefined): ReportedManifest | undefined {
  return useResource<ReportedManifest>(
    call === undefined ? undefined : `/api/calls/${encodeURIComponent(call)}/manifest`,
    { revalidateOnFocus: false },
  ).data
}
