import { api, type ApiError } from './client.ts'

/** What a person wrote: its words, and the ids of its files. */
export interface Written {
  readonly text: string
  readonly attachments: readonly string[]
}

/** Stops a turn that runs or waits. What was said is kept. */
export async function cancelTurn(session: string, turn: string): Promise<void> {
  await api(`${turnPath(session, turn)}/cancel`, { method: 'POST' })
}

/** The words of a message that waits as somebody else has edited them. */
export interface EditedElsewhere {
  /** What an edit of these words is based on. */
  readonly base: number
  readonly text: string
}

/**
 * Changes a message that waits, in its place. Rejects with the code `changed` where it does not wait any more, and where it was
 * edited since `base`; see `editedElsewhere`.
 */
export async function editTurn(
  session: string,
  turn: string,
  written: Written & { readonly base: number },
): Promise<void> {
  await api(turnPath(session, turn), { method: 'PATCH', body: written })
}

/** What somebody else has written, where an edit was refused because of that. */
export function editedElsewhere({ code, facts: { base, text } }: ApiError): EditedElsewhere | undefined {
  return code === 'changed' && typeof base === 'number' && typeof text === 'string' ? { base, text } : undefined
}

/** Takes a message back that waits. Returns false where it does not wait any more. */
export async function withdrawTurn(session: string, turn: string): Promise<boolean> {
  const path = `${turnPath(session, turn)}/withdraw`
  return (await api<{ readonly withdrawn: boolean }>(path, { method: 'POST' })).withdrawn
}

/** Sends a message at the end of what waits. */
export async function sendLast(session: string, written: Written): Promise<void> {
  await api(`/api/sessions/${encodeURIComponent(session)}/messages`, {
    method: 'POST',
    body: written,
    headers: { 'idempotency-key': crypto.randomUUID() },
  })
}

/** Whether a session has a turn. Rejects with `ApiError` where that cannot be known. */
export function hasTurn(session: string, turn: string): Promise<boolean> {
  return api(turnPath(session, turn)).then(
    () => true,
    (error: ApiError) => {
      if (error.code === 'not-found') return false
      throw error
    },
  )
}

function turnPath(session: string, turn: string): string {
  return `/api/sessions/${encodeURIComponent(session)}/turns/${encodeURIComponent(turn)}`
}
