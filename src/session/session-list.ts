import { messageText } from '../context.ts'
import type { EntryBody } from './entry.ts'
import type { SessionRow, TurnRow } from './log-store.ts'
import type { SessionActivity } from './session-filter.ts'
import { openingOf } from './session-opening.ts'

/** What a list of sessions shows of one, as the store keeps it. */
export interface StoredLabel {
  /** What the conversation is about, on one line (`openingOf`). */
  readonly opening: string | null
  readonly folder: string | null
  /** 0 or 1. */
  readonly pinned: number
  readonly state: string
  readonly unended: number
  /** Calls that wait for the decision of a person. */
  readonly waiting: number
}

/** What is stored of a session in which nothing has happened. */
export const newLabel: StoredLabel = {
  opening: null,
  folder: null,
  pinned: 0,
  state: 'new',
  unended: 0,
  waiting: 0,
}

/** What is stored of a session after one more entry. `turn` is the row of its turn as it was before. */
export function labelAfter(before: StoredLabel, body: EntryBody, turn: TurnRow | undefined): StoredLabel {
  const next = applyToLabel(before, body, turn)
  const { unended, waiting } = next
  if (unended === 0 || (unended === before.unended && waiting === before.waiting)) return next
  return { ...next, state: waiting > 0 ? 'waits' : 'works' }
}

function applyToLabel(before: StoredLabel, body: EntryBody, turn: TurnRow | undefined): StoredLabel {
  switch (body.type) {
    case 'label':
      return {
        ...before,
        ...(body.pinned === undefined ? {} : { pinned: body.pinned ? 1 : 0 }),
        ...(body.folder === undefined ? {} : { folder: body.folder?.toWellFormed() ?? null }),
      }
    case 'input':
      return {
        ...before,
        unended: before.unended + 1,
        opening: openingOf(before.opening ?? '', { next: messageText(body.message) }) ?? null,
      }
    case 'edit':
      return turn?.ordinal === 1
        ? { ...before, opening: openingOf(messageText(body.message)) ?? before.opening }
        : before
    // What a paste is about, its answer says.
    case 'message':
      if (turn?.ordinal !== 1 || body.message.role !== 'assistant') return before
      return { ...before, opening: openingOf(before.opening ?? '', { answer: messageText(body.message) }) ?? null }
    case 'approval-request':
      return { ...before, waiting: before.waiting + 1 }
    case 'approval':
      return { ...before, waiting: Math.max(0, before.waiting - 1) }
    // The model goes on only when nothing waits any more.
    case 'assembly':
      return { ...before, waiting: 0 }
    case 'turn-end':
      return {
        ...before,
        unended: Math.max(0, before.unended - 1),
        waiting: turn?.state === 'running' ? 0 : before.waiting,
        state: body.outcome.type === 'failed' ? 'failed' : 'done',
      }
    // A message that waits can be taken back while a turn runs or waits for a person.
    case 'head':
      return before.unended > 0 ? before : { ...before, state: 'done' }
    default:
      return before
  }
}

export function labelRow(stored: StoredLabel): Pick<SessionRow, 'opening' | 'folder' | 'pinned' | 'state'> {
  return {
    opening: stored.opening ?? undefined,
    folder: stored.folder ?? undefined,
    pinned: stored.pinned === 1,
    state: stored.state as SessionActivity,
  }
}

/** Finds texts that contain each word, in any order, case and form of Unicode. */
export function wordFinder(words: string): (text: string) => boolean {
  const all = fold(words).split(/\s+/)
  return (text) => {
    const folded = fold(text)
    return all.every((word) => folded.includes(word))
  }
}

function fold(text: string): string {
  return text.normalize('NFKC').toLowerCase()
}
