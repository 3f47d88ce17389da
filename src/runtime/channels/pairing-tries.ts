import { sha256 } from '../ledger/seal.ts'

/** Wrong codes since the code of this digest was made: by anybody, and by chat. */
export interface Tries {
  readonly digest: string
  readonly wrong: number
  /** By a digest of the chat, so that its size is known. */
  readonly chats: Readonly<Record<string, number>>
}

/** So many wrong tries take a code away. */
const MOST = 5
/** So many of them may be of one chat: a stranger alone cannot take a code away from its owner. */
const MOST_OF_ONE = 3

/** What was counted for this code; nothing yet where it was for another. */
export function triesFrom(value: unknown, digest: string): Tries {
  const fresh: Tries = { digest, wrong: 0, chats: {} }
  if (typeof value !== 'object' || value === null || !('digest' in value)) return fresh
  return value.digest === digest ? (value as Tries) : fresh
}

/** Whether this chat may not try any more. */
export function isSpent({ wrong, chats }: Tries, chat: string): boolean {
  return wrong >= MOST || (chats[sha256(chat)] ?? 0) >= MOST_OF_ONE
}

/** The same after one more wrong try. */
export function withTry({ digest, wrong, chats }: Tries, chat: string): Tries {
  const key = sha256(chat)
  return { digest, wrong: wrong + 1, chats: { ...chats, [key]: (chats[key] ?? 0) + 1 } }
}
