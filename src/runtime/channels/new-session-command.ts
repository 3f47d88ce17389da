import type { Binding } from '../../session.ts'
import type { Runtime } from '../../capability.ts'

/**
 * `/new`, trimmed and in any case: what a person says in a conversation to begin a new session (BEHAVIOURS §1.6). Answers
 * the words behind it, which are the first message of the new session; empty where there are none, `undefined` for any other
 * text.
 */
export function newSessionWords(text: string): string | undefined {
  const found = /^\/new(?:\s+(.*))?$/is.exec(text.trim())
  return found ? (found[1] ?? '').trim() : undefined
}

/** The reply to `/new` alone. No model is asked, and nothing of it is in a session. */
export const newSessionReply = 'A new session begins. The one before is kept.'

/**
 * The session that a conversation begins. One in which nothing has happened yet is as good as a new one, and a message that
 * is handed in again under its `idempotencyKey` finds the session that it has begun: the same message begins one session,
 * however often it arrives.
 */
export async function beginSession(
  runtime: Pick<Runtime, 'store' | 'newSession'>,
  binding: Binding,
  idempotencyKey?: string,
): Promise<string> {
  const { store } = runtime
  const bound = await store.bound(binding)
  const row = bound === undefined ? undefined : await store.session(bound)
  if (row?.entries === 1) return row.id
  if (row && idempotencyKey !== undefined && (await store.inputByKey(row.id, idempotencyKey))) return row.id
  return (await runtime.newSession({ binding })).id
}
