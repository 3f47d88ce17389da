import type { ConversationInput } from './conversation-input.ts'
import {
  type ConversationNote,
  composedNote,
  type NoteMark,
  noteId,
  noteMark,
  noteMessage,
  type NoteRule,
  type NotesInput,
  type NoteWords,
  neutralWords,
} from './conversation-note.ts'
import { requiredTokens } from './current-turn.ts'
import { cutConversation, type CutDecision } from './cut-conversation.ts'
import { cutLine, cutMarks, decidedTokens, markedState } from './cut-line.ts'
import { announced, type FittedConversation, placeConversation } from './fit-conversation.ts'
import { earlierSections } from './history-section.ts'
import type { Cut } from './cut.ts'
import { type CutGain, weighCut } from './cut-worth.ts'
import { noteIndex } from './note-index.ts'
import { firstSections, goneSections, noteSection } from './note-sections.ts'
import { type PricedTurn, sumTokens } from './priced-turn.ts'
import type { Reason } from './reason.ts'
import type { Section } from './section.ts'
import { wholeCharacter } from './cut-text.ts'

/** What notes need besides the conversation. */
export interface NotedInput extends NotesInput {
  readonly rule: NoteRule
}

/** A conversation in its room, and the note that a cut has made. */
export interface NotedConversation extends FittedConversation {
  readonly note?: ConversationNote
  /** Of a cut that did not have to be made yet: what it wins. */
  readonly gain?: CutGain
}

/** What stands in front of the newest turns: the first turns as they were said, and the notes. */
interface Block {
  readonly first: readonly PricedTurn[]
  readonly notes: readonly ConversationNote[]
}

/**
 * Puts a conversation into its room as `first · notes · tail`. While it fits, nothing moves. When it does not fit any more,
 * turns between the first ones and the newest are left out together, and one note takes their place behind the notes that are
 * there. Notes that would take too much room are folded into one.
 */
export function fitNoted(conversation: ConversationInput, input: NotedInput): NotedConversation {
  const { turns, cut: marks } = conversation
  const named = new Set(marks?.first)
  const last = turns.findIndex(({ id }) => !named.has(id))
  const standing: Block = { first: turns.slice(0, last < 0 ? turns.length : last), notes: input.written }
  const rest = turns.slice(standing.first.length)
  const now = { block: standing, gone: [], ...decide(conversation, standing, rest) }
  const { available } = conversation
  const { cacheOver = false, worth } = input
  // Of the whole prompt, as it is sent where nothing more gives way.
  const size = conversation.beside + blockTokens(now.rest, now.block) + sentTokens(now)
  const isSoon = cacheOver && size > available * NEARLY_FULL
  const isDue = now.moves || isSoon
  // Above a cliff a cut has to come down below it.
  const less = !isDue && worth?.cliff && size > worth.cliff.tokens ? available - worth.cliff.tokens : 0
  const isWeighed = worth && (less > 0 || (!cacheOver && size > available * HALF_FULL))
  const target = { ...conversation, available: available - less, room: conversation.room - less }
  const made = isDue || isWeighed ? cut(target, input, standing, rest) : undefined
  if (!made || isDue) return place(conversation, made ?? now)
  const isWhole = made.note && made.decision.missingRoom === undefined
  const gain = isWhole && weighCut(worth!, { size, ...cutTokens(now, made) })
  return gain ? { ...place(conversation, made), gain } : place(conversation, now)
}

/** How much smaller a cut makes the conversation, and how much of it follows on its first change. Tokens. */
function cutTokens(before: Placed, after: Placed): Pick<CutGain, 'saved' | 'again'> {
  const known = new Set(before.block.notes.map(({ content }) => content))
  const fresh = after.block.notes.filter(({ content }) => !known.has(content))
  const again = blockTokens(after.rest, { first: [], notes: fresh }) + sentTokens(after)
  const whole = (placed: Placed) => blockTokens(placed.rest, placed.block) + sentTokens(placed)
  return { saved: whole(before) - whole(after), again }
}

/** Of everything behind first turns and notes. */
function sentTokens({ rest, decision }: Placed): number {
  const line = cutLine(rest)
  return decidedTokens(rest, line, decision) + (announced(rest, line, decision.from)?.tokens ?? 0)
}

/** Share of what is available from which the next cut is near. */
export const NEARLY_FULL = 0.8

/** Share of what is available below which nothing is cut or written for a later cut. */
export const HALF_FULL = 0.5

/** What a block and the rest beside it come to. */
interface Decided {
  readonly rest: ConversationInput
  readonly decision: CutDecision
  /** Whether anything gives way that did not in the call before. */
  readonly moves: boolean
}

/** `gone`: turns that this cut takes out. `target`: what it would like to leave to the conversation, tokens; all of it unless given. */
function decide(
  conversation: ConversationInput,
  block: Block,
  turns: readonly PricedTurn[],
  { gone = [], target }: { readonly gone?: readonly PricedTurn[]; readonly target?: number } = {},
): Decided {
  const taken = blockTokens(conversation, block)
  const { available, beside, room } = conversation
  const inRoom = (given: number): ConversationInput => ({
    ...conversation,
    turns,
    beside: beside + taken,
    room: given - taken,
    ...uncovered(conversation, block, gone),
  })
  const rest = inRoom(room)
  const line = cutLine(rest)
  const marked = markedState(rest, line)
  const noteTokens = (from: number) => announced(rest, line, from)?.tokens ?? 0
  if (target !== undefined && target < room) {
    const roomy = { ...inRoom(target), available: Math.min(available, target + beside) }
    const decision = cutConversation(roomy, line, noteTokens)
    if (decision.missingRoom === undefined) return { rest, decision, moves: true }
  }
  const decision = cutConversation(rest, line, noteTokens)
  const moves =
    decision.missingRoom !== undefined ||
    (['from', 'cleared', 'excerpted'] as const).some((name) => decision[name] !== marked[name])
  return { rest, decision, moves }
}

/** Turns that no note covers, such as those that were cut without notes. And files of every turn that is not shown. */
function uncovered(
  { earlier, earlierFiles }: ConversationInput,
  { notes }: Block,
  gone: readonly PricedTurn[],
): Pick<ConversationInput, 'earlier' | 'earlierFiles'> {
  const covered = notes.reduce((sum, { turns }) => sum + turns, 0) - gone.length
  const left = (earlier?.turns ?? 0) - covered
  return {
    earlier: earlier && left > 0 ? { turns: left, tokens: earlier.tokens } : undefined,
    earlierFiles: [...earlierFiles, ...gone.flatMap(({ attachments }) => attachments)],
  }
}

function blockTokens({ counter }: ConversationInput, { first, notes }: Block): number {
  return sumTokens(first) + sumTokens(notes.map((note) => noteMessage(note, counter)))
}

/** A turn that a cut took out, for the account. */
interface Gone {
  readonly turn: PricedTurn
  readonly note: NoteMark
}

interface Placed {
  readonly rest: ConversationInput
  readonly decision: CutDecision
  readonly block: Block
  readonly gone: readonly Gone[]
  readonly note?: ConversationNote
}

/** Share of what is available that is filled after a cut, at most, where the current turn allows that. */
const FILLED_AFTER_CUT = 0.5

/** Cuts once. `undefined` where there is no turn that a note could take the place of. */
function cut(
  conversation: ConversationInput,
  { rule, words }: NotedInput,
  standing: Block,
  turns: readonly PricedTurn[],
): Placed | undefined {
  const all = Math.max(0, conversation.available - conversation.beside)
  const share = words ? (rule.firstBesideWords ?? rule.first) : rule.first
  const first = standing.first.length > 0 ? [] : firstTurns(conversation, standing, turns, share * all)
  const candidates = turns.slice(first.length)
  const target = Math.floor(conversation.available * FILLED_AFTER_CUT) - conversation.beside
  const most = { index: indexCharacters(all), notes: Math.floor(rule.most * all) }
  let drop = tailFrom(candidates, rule.tail * all)
  for (;;) {
    const dropped = candidates.slice(0, drop)
    const made = dropped.length > 0 ? makeNote(conversation, standing.notes, dropped, words, most) : undefined
    const block: Block = {
      first: [...standing.first, ...(made ? first : [])],
      notes: made?.notes ?? standing.notes,
    }
    const left = made ? candidates.slice(drop) : turns
    const decided = decide(conversation, block, left, { gone: made ? dropped : [], target })
    const more = decided.decision.from
    if (more === 0) {
      if (!made) return undefined
      const gone = dropped.map((turn) => ({ turn, note: made.note }))
      return { ...decided, block, gone, note: made.note }
    }
    drop = (made ? drop : Math.max(0, drop - first.length)) + more
    if (drop > candidates.length) return undefined
  }
}

/** The task as it was given: the first turns of a conversation of which nothing was cut yet. */
function firstTurns(
  { earlier, cut: marks }: ConversationInput,
  { notes }: Block,
  turns: readonly PricedTurn[],
  limit: number,
): readonly PricedTurn[] {
  if (notes.length > 0 || earlier?.turns || marks?.dropBefore) return []
  let count = 0
  let tokens = 0
  while (count < Math.min(MOST_FIRST, turns.length - 2)) {
    tokens += turns[count]!.tokens
    if (tokens > limit) break
    count += 1
  }
  return turns.slice(0, count)
}

const MOST_FIRST = 8

/** The first turn of the tail: the newest turns within the limit, and always the newest one. */
function tailFrom(turns: readonly PricedTurn[], limit: number): number {
  let from = Math.max(0, turns.length - 1)
  let tokens = turns[from]?.tokens ?? 0
  while (from > 0 && tokens + turns[from - 1]!.tokens <= limit) {
    from -= 1
    tokens += turns[from]!.tokens
  }
  return from
}

/** Some 150 to 400 tokens. */
function indexCharacters(room: number): number {
  return Math.min(1400, Math.max(500, Math.floor(room * 0.03 * 4)))
}

/** The note on turns that are left out, folded with those before it where they are too large together. */
function makeNote(
  conversation: ConversationInput,
  written: readonly ConversationNote[],
  dropped: readonly PricedTurn[],
  words: NoteWords | undefined,
  most: { readonly index: number; readonly notes: number },
): { readonly note: ConversationNote; readonly notes: readonly ConversationNote[] } {
  const { counter, readers } = conversation
  const fitting = words && areAbout(conversation, dropped, words.through) ? words : undefined
  const folds = fitting?.folds === true && written.length > 0
  const about = (covered: readonly ConversationNote[]) => {
    return {
      from: covered[0]?.from ?? dropped[0]!.id,
      to: dropped.at(-1)!.id,
      turns: covered.reduce((sum, { turns }) => sum + turns, dropped.length),
      ...(fitting ? { by: fitting.call } : {}),
      ...foreignOf(covered),
    }
  }
  const lines = noteIndex(dropped, most.index)
  const own = fitting ? neutralWords(fitting.text) : undefined
  if (!folds) {
    const single = composedNote(about([]), { words: own, index: lines, reader: readers.history })
    const notes = [...written, single]
    const tokens = sumTokens(notes.map((note) => noteMessage(note, counter)))
    if (tokens <= most.notes || written.length === 0) return { note: single, notes }
  }
  const kept = foldedLines(written, own === undefined ? 1 : 0.25, most.notes * 2)
  const note = composedNote(about(written), { words: own, index: [...kept, ...lines], reader: readers.history })
  return { note, notes: [note] }
}

/** Words that end before what is left out are of no use; what they do not reach is in the index. */
function areAbout({ turns }: ConversationInput, dropped: readonly PricedTurn[], through: string): boolean {
  const first = turns.findIndex(({ id }) => id === dropped[0]!.id)
  return turns.findIndex(({ id }) => id === through) >= first
}

function foreignOf(notes: readonly ConversationNote[]): Pick<NoteMark, 'foreign'> {
  const foreign = notes.flatMap((note) => note.foreign ?? [])
  return foreign.length > 0 ? { foreign } : {}
}

/** Lines of notes that are folded: of each the newest, so that all of them together keep to a size. `share` of it; characters. */
function foldedLines(notes: readonly ConversationNote[], share: number, most: number): readonly string[] {
  const each = Math.floor((most * share) / Math.max(1, notes.length))
  return notes.flatMap(({ text }) => {
    const body = text.slice(text.indexOf('\n') + 1)
    return [body.slice(0, wholeCharacter(body, each))]
  })
}

/** What is sent, and the account of all of it. Where the room is short, notes and first turns give way for this call. */
function place(conversation: ConversationInput, { rest, decision, block, gone, note }: Placed): NotedConversation {
  const { counter, cut: marks } = conversation
  const spare = decision.missingRoom === undefined ? block : withinShortage(conversation, block)
  const shown =
    spare === block
      ? { rest, decision }
      : decide(conversation, spare, rest.turns, { gone: gone.map(({ turn }) => turn) })
  const line = cutLine(shown.rest)
  const fitted = placeConversation(shown.rest, line, shown.decision)
  const unsent = block.notes.filter((each) => !spare.notes.includes(each))
  const covered = gone.flatMap(({ turn, note: by }) => {
    const isSent = note === undefined || !unsent.includes(note)
    return goneSections(turn, { code: 'noted', note: noteId(by), ...(isSent ? {} : { unsent: 1 }) })
  })
  const own = cutMarks(shown.rest, line, { ...shown.decision, from: 0 })
  const dropBefore = note
    ? (rest.turns[0]?.id ?? conversation.current.id)
    : shown.decision.from > 0
      ? (rest.turns[shown.decision.from]?.id ?? conversation.current.id)
      : marks?.dropBefore
  const { clearBefore, excerptBefore } = own ?? {}
  const all: Cut = {
    ...(dropBefore === undefined ? {} : { dropBefore }),
    ...(clearBefore === undefined ? {} : { clearBefore }),
    ...(excerptBefore === undefined ? {} : { excerptBefore }),
    ...(block.first.length > 0 ? { first: block.first.map(({ id }) => id) } : {}),
    ...(block.notes.length > 0 ? { notes: block.notes.map(noteMark) } : {}),
  }
  const [about, settled] = split(fitted.history)
  const out = gone.map(({ turn }) => turn)
  // A new note is about earlier turns, too, where it folds others.
  const ofEarlier = unsent.filter((each) => each !== note || each.turns > out.length)
  const earlier = notLoaded(conversation, block, out, ofEarlier.length)
  return {
    history: [
      // Turns of notes that are not sent are announced as if they had none.
      ...about.filter(({ entry }) => entry.id !== 'earlier'),
      ...earlier,
      ...block.first.flatMap((turn) => firstSections(turn, spare.first.includes(turn))),
      ...covered,
      ...block.notes.map((each) => noteSection(each, spare.notes.includes(each), counter)),
      ...settled,
    ],
    current: fitted.current,
    cut: Object.keys(all).length > 0 ? all : undefined,
    ...(note ? { note } : {}),
  }
}

/** What of the block is shown where not even the current turn fits beside it: notes before first turns, the newest first. */
function withinShortage(conversation: ConversationInput, block: Block): Block {
  let left = conversation.room - requiredTokens(conversation.current)
  const notes: ConversationNote[] = []
  for (const note of block.notes.toReversed()) {
    left -= noteMessage(note, conversation.counter).tokens
    if (left < 0) break
    notes.unshift(note)
  }
  const isWhole = notes.length === block.notes.length && left - sumTokens(block.first) >= 0
  return isWhole ? block : { first: [], notes }
}

/**
 * The account of what is not sent stands in front of the first turns. What is announced stands behind the notes: a cut changes
 * it, and everything behind a new note is sent again anyway.
 */
function split(sections: readonly Section[]): readonly [readonly Section[], readonly Section[]] {
  const from = sections.findIndex(({ entry }) => entry.id !== 'earlier' && entry.reason?.code !== 'undone')
  return from < 0 ? [sections, []] : [sections.slice(0, from), sections.slice(from)]
}

/** Turns that were not loaded count as one candidate, be they covered by notes or not. `unsent`: so many of the notes are not sent. */
function notLoaded(
  conversation: ConversationInput,
  block: Block,
  gone: readonly PricedTurn[],
  unsent: number,
): readonly Section[] {
  const [section] = earlierSections(conversation)
  if (!section || uncovered(conversation, block, gone).earlier) return section ? [section] : []
  const { turns } = conversation.earlier!
  const reason: Reason = { code: 'noted', turns, ...(unsent > 0 ? { unsent } : {}) }
  return [{ ...section, entry: { ...section.entry, reason } }]
}
