import { api } from './client.ts'

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
