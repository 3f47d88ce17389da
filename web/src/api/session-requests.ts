import type { ListedSession, SessionQuery } from './listed-session.ts'
import type { SessionLabel } from '../../../src/session.ts'
import { api } from './client.ts'
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

/** Sends a message that follows the turn `from` (`null`: none): it begins a branch. */
export async function sendAfter(
  session: string,
  from: string | null,
  message: { readonly text: string; readonly attachments: readonly string[] },
): Promise<void> {
  await api(`/api/sessions/${encodeURIComponent(session)}/messages`, {
    method: 'POST',
    body: { ...message, from },
    headers: { 'idempotency-key': crypto.randomUUID() },
  })
}

/** The session goes on after this turn. */
export async function goOnFrom(session: string, turn: string): Promise<void> {
  await api(`/api/sessions/${encodeURIComponent(session)}/head`, { method: 'POST', body: { turn } })
}

/** The session goes on after this turn, with the model that answered it. */
export async function goOnWith(session: string, turn: string, model: string | undefined): Promise<void> {
  await goOnFrom(session, turn)
  if (model !== undefined)
    await api(`/api/sessions/${encodeURIComponent(session)}`, { method: 'PATCH', body: { model } })
}
