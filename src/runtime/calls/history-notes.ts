import type {
  ConversationNote,
  Cut,
  CutWorth,
  EarlierTurns,
  NotesInput,
  NoteWords,
  TokenCounter,
  Turn,
} from '../../context.ts'
import { defined } from '../../platform.ts'
import {
  type Entry,
  type LogStore,
  type MessageBody,
  readReferredContent,
  type SessionStore,
  turnsTo,
  turnsToHead,
  withEdits,
} from '../../session.ts'
import { inputFiles, type TurnFile } from './attachments.ts'
import { projectTurn } from './turn-projection.ts'

/** What a cut left of the beginning of a session, and the notes on what it took out. */
export interface HistoryNotes {
  readonly notes: NotesInput
  /** The turns that stay as they were said, oldest first, with the files that came with them. */
  readonly first: readonly { readonly turn: Turn; readonly files: readonly TurnFile[] }[]
  readonly firstTokens: number
}

interface HistoryNotesQuestion {
  readonly session: string
  /** The turn that is being answered; absent in a preview. */
  readonly answering?: string | undefined
  readonly cut: Cut | undefined
  readonly words?: NoteWords | undefined
  readonly cacheOver?: boolean | undefined
  readonly worth?: CutWorth | undefined
  readonly counter: TokenCounter
  readonly keepsPartial: boolean
  /** Reads the log up to this `seq`: a call is built again, and its notes are those of then. */
  readonly upTo?: number | undefined
}

/** The notes of a cut and the first turns. `undefined` where a turn of them is undone or elsewhere, or a text is gone. */
export async function readHistoryNotes(
  store: SessionStore,
  { session, answering, cut, words, cacheOver, worth, counter, keepsPartial, upTo }: HistoryNotesQuestion,
): Promise<HistoryNotes | undefined> {
  const { first: firstTurns = [], notes: marks = [] } = cut ?? {}
  const covered = [...firstTurns, ...marks.flatMap(({ from, to }) => [from, to])]
  if (upTo === undefined && covered.length > 0 && !(await lead(store, session, answering, covered))) return undefined
  const texts = await Promise.all(marks.map(({ content }) => readReferredContent(store, content)))
  if (texts.includes(undefined)) return undefined
  const written = marks.map((mark, index): ConversationNote => ({ ...mark, text: texts[index]! }))
  const read = await Promise.all(
    firstTurns.map(async (turn) => {
      const entries = withEdits(await store.entries(session, { turn, ...defined({ upTo }) })).flatMap(messageOf)
      const tokens = entries.reduce((sum, entry) => sum + entry.tokens.full, 0)
      return { turn: projectTurn(turn, entries, { counter, keepsPartial }), files: inputFiles(entries), tokens }
    }),
  )
  return {
    notes: {
      written,
      ...defined({
        words,
        worth: worth && defined({ calls: worth.calls, read: worth.read, write: worth.write, cliff: worth.cliff }),
      }),
      ...(cacheOver ? { cacheOver } : {}),
    },
    first: read.map(({ turn, files }) => ({ turn, files })),
    firstTokens: read.reduce((sum, { tokens }) => sum + tokens, 0),
  }
}

/** Whether all of these turns lead to the one that is being answered, or to the head. */
async function lead(
  store: LogStore,
  session: string,
  answering: string | undefined,
  turns: readonly string[],
): Promise<boolean> {
  const row = await store.session(session)
  if (!row) return false
  if (row.head === undefined) {
    const rows = await Promise.all(turns.map((turn) => store.turn(session, turn)))
    return rows.every((found) => found !== undefined && found.state !== 'undone')
  }
  const all = await store.turns(session)
  const path = new Set(
    (answering === undefined ? turnsToHead(row, all) : turnsTo(all, answering)).map(({ turn }) => turn),
  )
  return turns.every((turn) => path.has(turn))
}

function messageOf(entry: Entry): readonly MessageBody[] {
  return entry.type === 'input' || entry.type === 'message' ? [entry] : []
}

/** The turns that were not loaded, without the first ones. */
export function besideFirst(
  { earlier }: { readonly earlier: EarlierTurns | undefined },
  { first, firstTokens }: HistoryNotes,
): { readonly earlier: EarlierTurns | undefined } {
  if (!earlier) return { earlier }
  const turns = earlier.turns - first.length
  return { earlier: turns > 0 ? { turns, tokens: Math.max(0, earlier.tokens - firstTokens) } : undefined }
}

/** A cut without what notes need, for where there are none. */
export function withoutNotes(cut: Cut): Cut | undefined {
  if (!cut.first && !cut.notes) return cut
  const { first: _first, notes: _notes, ...marks } = cut
  return Object.keys(marks).length > 0 ? marks : undefined
}
