import { type Clock, type NoteService, RuntimeError, type SessionNote } from '../../capability.ts'
import {
  type ConversationNote,
  type Cut,
  layoutOf,
  messageText,
  noteId,
  noteInstruction,
  noteMark,
  noteMessage,
  noteWordsWithin,
  outputText,
  rewordedNote,
  toolCalls,
  toolResults,
  type Turn,
  wordsFault,
} from '../../context.ts'
import { defined } from '../../platform.ts'
import { readReferredContent } from '../../session.ts'
import type { BudgetService } from '../budgets/budget-service.ts'
import type { AssemblyContext } from '../turn/assembly-context.ts'
import { leastAnswer } from '../models/call-budget.ts'
import { loadHistory } from '../calls/history-loader.ts'
import { complete } from '../completions/completion.ts'
import type { ModelChoice } from '../models/model-choice.ts'
import { textTokens } from '../models/counters.ts'
import type { SessionState } from '../sessions/session-state.ts'
import { withoutNotes } from '../calls/history-notes.ts'
import type { Model } from '../../model.ts'
import type { RuntimeSettings } from '../settings.ts'

interface NoteServiceParts {
  readonly context: AssemblyContext
  readonly models: ModelChoice
  readonly clock: Clock
  readonly budgets: BudgetService
  openState(session: string): Promise<SessionState>
}

/** Notes as a person reads, changes and removes them. */
export function createNoteService({ context, models, clock, budgets, openState }: NoteServiceParts): NoteService {
  const { store, settings } = context
  const { counter } = settings

  async function written(state: SessionState): Promise<readonly ConversationNote[]> {
    const marks = state.cut?.marks.notes ?? []
    const texts = await Promise.all(marks.map(({ content }) => readReferredContent(store, content)))
    return marks.flatMap((mark, index) => (texts[index] === undefined ? [] : [{ ...mark, text: texts[index] }]))
  }

  async function view(session: string, note: ConversationNote): Promise<SessionNote> {
    const { content, from, to, turns, by, text } = note
    const [oldest, newest] = [await store.turn(session, from), await store.turn(session, to)]
    return {
      id: noteId(note),
      content,
      from,
      to,
      turns,
      ...defined({ fromNumber: oldest?.ordinal, toNumber: newest?.ordinal, by }),
      text,
      tokens: noteMessage(note, counter).tokens,
    }
  }

  /** Writes other marks in the place of those of the last cut. */
  async function setMarks(state: SessionState, marks: Cut): Promise<void> {
    const [last] = await store.entries(state.session, { types: ['cut'], last: 1 })
    if (last?.type !== 'cut' || !state.cut) throw noNotes(state.session)
    const { turn, call, available, room } = last
    await store.append(
      state.session,
      [{ type: 'cut', turn, call, cut: marks, available, ...defined({ room }) }],
      clock.time(),
    )
    state.cut = { ...state.cut, marks }
  }

  /** Why the model of a session writes none. Nothing where it cannot be found, which its next turn reports. */
  async function noWords(state: SessionState): Promise<string | undefined> {
    if (settings.notes !== 'model') return undefined
    const model = await models.resolve(state.model).catch(() => undefined)
    return model && shortAnswer(settings, model)
  }

  return {
    async list(session) {
      const state = await openState(session)
      const [last] = await store.entries(session, { types: ['note'], last: 1 })
      const fault = last?.type === 'note' ? last.fault : undefined
      const { through, text, call } = state.words ?? {}
      return {
        notes: await Promise.all((await written(state)).map((note) => view(session, note))),
        first: state.cut?.marks.first ?? [],
        ...(state.words ? { ready: { through: through!, text: text!, call: call! } } : {}),
        ...defined({ fault, noWords: await noWords(state) }),
      }
    },
    async forget(session) {
      const state = await openState(session)
      const count = state.cut?.marks.notes?.length ?? 0
      if (state.cut && count > 0) await setMarks(state, withoutNotes(state.cut.marks) ?? {})
      return count
    },
    async write(session) {
      const state = await openState(session)
      const notes = await written(state)
      const note = notes.at(-1)
      if (!note) throw noNotes(session)
      const model = await models.resolve(state.model)
      const answer = leastAnswer(settings, model.facts)
      const most = noteWordsWithin(answer)
      if (most === undefined) throw tooShort(session, shortAnswer(settings, model)!)
      const room = Math.floor((model.facts.window - most * 2) * CHARACTERS_PER_TOKEN)
      const content = `${await transcript(session, note, room)}\n\n${noteInstruction(Math.round(most * 0.7), false)}`
      let call = ''
      let text = ''
      const input = { messages: [{ role: 'user' as const, content }], model: model.id, prompt: false, holds: [session] }
      for await (const event of complete({ context, models, clock, budgets }, input)) {
        if (event.type === 'call-start') call = event.call
        if (event.type === 'text-delta') text += event.text
      }
      const fault = wordsFault(text, await textTokens(clock, counter, text), most * 2)
      if (fault) {
        const message = `The model's answer is no note (${fault}). The note stays as it was.`
        throw new RuntimeError('invalid-input', message, { session, call, fault })
      }
      const reworded = rewordedNote(note, text, call)
      await store.putContent(reworded.text, [session])
      await setMarks(state, { ...state.cut!.marks, notes: [...notes.slice(0, -1), reworded].map(noteMark) })
      return view(session, reworded)
    },
  }

  /** What was said in the turns that a note covers, as text. */
  async function transcript(session: string, { from, to }: ConversationNote, most: number): Promise<string> {
    const layout = layoutOf(settings.layout)
    const { turns } = await loadHistory(store, {
      session,
      current: undefined,
      limit: Number.MAX_SAFE_INTEGER,
      cut: { dropBefore: from },
      layout,
      counter,
      cache: undefined,
    })
    const last = turns.findIndex(({ id }) => id === to)
    const lines = turns.slice(0, last + 1).flatMap(turnLines)
    const each = Math.max(200, Math.floor(most / Math.max(1, lines.length)))
    return lines.map((line) => (line.length > each ? `${line.slice(0, each).toWellFormed()}…` : line)).join('\n')
  }
}

const CHARACTERS_PER_TOKEN = 2

function turnLines({ messages }: Turn): readonly string[] {
  return messages.flatMap(({ message }) => {
    const text = messageText(message)
    const calls = toolCalls(message).map(
      ({ toolName, input }) => `assistant calls ${toolName}: ${JSON.stringify(input)}`,
    )
    const results = toolResults(message).map(({ toolName, output }) => `result of ${toolName}: ${outputText(output)}`)
    return [...(text.trim() === '' ? [] : [`${message.role}: ${text}`]), ...calls, ...results]
  })
}

function tooShort(session: string, message: string): RuntimeError {
  return new RuntimeError(
    'invalid-input',
    message,
    { session },
    { hint: 'Choose another model, or correct `maxOutput` of the model or `context.reserve` in config.json.' },
  )
}

function noNotes(session: string): RuntimeError {
  return new RuntimeError(
    'not-found',
    `Session ${session} has no notes.`,
    { session },
    { hint: 'A note is made when a conversation no longer fits its window and is cut.' },
  )
}

/** Why a model writes no notes, in a sentence: its longest answer is too short for one. `undefined` where it is not. */
export function shortAnswer(
  settings: Pick<RuntimeSettings, 'reserve'>,
  { id, facts }: Pick<Model, 'id' | 'facts'>,
): string | undefined {
  const answer = leastAnswer(settings, facts)
  if (noteWordsWithin(answer) !== undefined) return undefined
  const why = settings.reserve === undefined ? 'as its longest answer and its window have it' : '`context.reserve`'
  return `${id} is asked for answers of at most ${answer} tokens (${why}), which is too short for a note: notes are an index.`
}
