import type { CutWorth } from './cut-worth.ts'
import type { ForeignText } from './layer.ts'
import { userMessage } from './message.ts'
import { neutralText } from './neutral-text.ts'
import { sha256Text } from './sha256-text.ts'
import { madeTokens, type TokenCounter } from './token-counter.ts'
import type { PricedMessage } from './tool-output.ts'

/** Names a note, as the marks of a cut carry it from call to call. The text is known by its hash, so that it never changes. */
export interface NoteMark {
  /** `sha256:HASH` of its text. */
  readonly content: string
  /** The oldest and the newest turn that it covers. */
  readonly from: string
  readonly to: string
  readonly turns: number
  /** The call whose model wrote words of it; absent for an index alone. */
  readonly by?: string
  /** Where the index begins in its text, characters: words stand between the first line and it. */
  readonly indexAt?: number
  /** Texts of others in the turns that it covers, as far as the runtime knows them. */
  readonly foreign?: readonly ForeignText[]
}

/** What stands in a conversation in the place of turns that a cut took out. */
export interface ConversationNote extends NoteMark {
  readonly text: string
}

/** Words that a model has written about a conversation, for the next cut. */
export interface NoteWords {
  /** They are about everything up to this turn, and it. */
  readonly through: string
  readonly text: string
  readonly call: string
  /** Whether they also say what the notes say that are there already. */
  readonly folds?: boolean
}

/** The notes of a conversation. Where an input has none of this, turns are left out without one. */
export interface NotesInput {
  /** Those that the marks of the last cut name, in their order. */
  readonly written: readonly ConversationNote[]
  /** For the next note; without them it is an index. */
  readonly words?: NoteWords
  /** Nothing of the conversation is in the provider's cache any more, or it is lost now: a cut that comes soon costs nothing. */
  readonly cacheOver?: boolean
  /** What a cut is weighed by that need not be made yet. Absent: a cut is made where it must, or costs nothing. */
  readonly worth?: CutWorth
}

/** Shares of the room that tools and layers leave to a conversation, 0 to 1. */
export interface NoteRule {
  /** The first turns, as they were said, where the first note is an index alone. */
  readonly first: number
  /** The same where it has words, which need the room. As `first` unless given. */
  readonly firstBesideWords?: number
  /** The newest turns that a cut leaves. */
  readonly tail: number
  /** All notes together; beyond it they are folded into one. */
  readonly most: number
}

/** The id of a note in a manifest: `note-` and the beginning of its hash. */
export function noteId({ content }: Pick<NoteMark, 'content'>): string {
  return `note-${content.replace('sha256:', '').slice(0, 10)}`
}

type NoteFacts = Omit<ConversationNote, 'content' | 'text' | 'indexAt'>

/** Puts a note together and names it. */
export function composedNote(
  about: NoteFacts,
  {
    words,
    index,
    reader,
  }: { readonly words: string | undefined; readonly index: readonly string[]; readonly reader: string | undefined },
): ConversationNote {
  const count = about.turns === 1 ? '1 turn' : `${about.turns} turns`
  const find = reader === undefined ? '' : `; ${reader} finds and reads them`
  const lead = `[${count} of this conversation not shown${find}. In their place: ${words === undefined ? INDEX_ALONE : WITH_WORDS}]`
  return joinedNote(about, lead, words, index.join('\n'))
}

/** The same note with other words of a model. */
export function rewordedNote(note: ConversationNote, words: string, by: string): ConversationNote {
  const { content: _content, text, indexAt = text.indexOf('\n') + 1, ...about } = note
  const lead = text.slice(0, text.indexOf('\n')).replace(INDEX_ALONE, WITH_WORDS)
  return joinedNote({ ...about, by }, lead, neutralWords(words), text.slice(indexAt))
}

const INDEX_ALONE = 'an index of what they held'
const WITH_WORDS = 'a note that the model wrote, and an index'

function joinedNote(about: NoteFacts, lead: string, words: string | undefined, index: string): ConversationNote {
  const before = words === undefined ? `${lead}\n` : `${lead}\n${words}\n`
  const text = `${before}${index}`
  return { content: `sha256:${sha256Text(text)}`, ...about, indexAt: before.length, text }
}

export function noteMark({ text: _text, ...mark }: ConversationNote): NoteMark {
  return mark
}

/** A note as it is sent, with its cost. */
export function noteMessage({ text }: Pick<ConversationNote, 'text'>, counter: TokenCounter): PricedMessage {
  return { message: userMessage(text), tokens: madeTokens(counter, text) + (counter.made ? 0 : counter.perMessage) }
}

/** What is asked of a model that writes a note. The sentence in front is also how an answer is known that repeats it. */
const ASK = 'Write the note that will stand in the place of the older part of this conversation.'

/** The instruction to write a note about everything above it. `most`: words. */
export function noteInstruction(most: number, folds: boolean): string {
  return [
    `${ASK} It covers the whole conversation above${folds ? ', and everything that the notes in it say' : ''}.`,
    `Keep what later work needs: what the person wants and has decided, facts, names, numbers and exact wordings, what was done and what came of it, and what is open. Leave out politeness and what can be read again from files.`,
    `At most ${most} words, in plain lines, in the language of the conversation. Answer with the note alone. Call no tool.`,
  ].join('\n')
}

/** Why an answer is no note; the note is its index then. */
export type WordsFault = 'empty' | 'too-long' | 'refusal' | 'repeats-instruction' | 'poses-as-operator'

/** What is wrong with an answer, if anything. `tokens`: its size, and the most that it may have. */
export function wordsFault(text: string, tokens: number, most: number): WordsFault | undefined {
  const said = text.trim()
  if (said === '') return 'empty'
  if (tokens > most) return 'too-long'
  if (said.includes(ASK) || said.includes('Answer with the note alone')) return 'repeats-instruction'
  if (REFUSAL.test(said.slice(0, 200))) return 'refusal'
  if (POSES.test(neutralText(said).text)) return 'poses-as-operator'
  return undefined
}

const REFUSAL =
  /^(?:i['’]?m sorry|sorry,|i apologi[sz]e|i (?:can(?:no|['’])t|am unable|won['’]t)|as an ai\b|unfortunately, i (?:can|am))/i

/** A line that speaks as somebody else than the writer of a note. */
const POSES =
  /^[ \t>*#[(<⟨⟦-]*\/?(?:system|operator|developer|foreword)(?: (?:message|prompt|note|instructions?))?[ \t]*[\])>⟩⟧*]*[ \t]*:|^[ \t]*[<⟨]\/?(?:system|operator|developer|instructions?)\b|\b(?:ignore|disregard|forget) (?:all |any )?(?:previous|prior|above|earlier|the above) (?:instructions|rules|messages)/im

/** What a model wrote, so that nothing of it works on its own. */
export function neutralWords(text: string): string {
  return neutralText(text.trim()).text
}
