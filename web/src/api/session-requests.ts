import type { SessionLabel } from '../../../src/session.ts'
import { api } from './client.ts'
import type { ListedSession, SessionQuery } from './listed-session.ts'
import type { SessionPage } from './resources.ts'

/** Sessions of one page: the most that the gateway gives at once. */
export const SESSIONS_A_PAGE = 500

export async function readSessions(query: SessionQuery, offset: number): Promise<readonly ListedSession[]> {
  const given = Object.entries(query).map(([name, value]) => [name, String(value)])
  const address = new URLSearchParams([...given, ['limit', String(SESSIONS_A_PAGE)], ['offset', String(offset)]])
  return (await api<SessionPage>(`/api/sessions?${address.toString()}`)).sessions
}

export async function labelSession(session: string, label: SessionLabel): Promise<void> {
  await api(sessionPath(session), { method: 'PATCH', body: label })
}

export async function deleteSession(session: string): Promise<void> {
  await api(sessionPath(session), { method: 'DELETE' })
}

/** Imports an export; `as` gives the session another id. */
export function importSession(file: Blob, as?: string): Promise<ListedSession> {
  const query = as === undefined ? '' : `?as=${encodeURIComponent(as)}`
  return api<ListedSession>(`/api/sessions/import${query}`, {
    method: 'POST',
    body: file,
    headers: { 'content-type': 'application/jsonl' },
  })
}

export function downloadSession(session: string): void {
  const link = document.createElement('a')
  link.href = `${sessionPath(session)}/export`
  link.download = ''
  link.click()
}

function sessionPath(session: string): string {
  return `/api/sessions/${encodeURIComponent(session)}`
}
