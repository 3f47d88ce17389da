import { askModel, type PreparedCall, stopping, type TurnSetup } from '../../agent.ts'
import type { Clock } from '../../capability.ts'
import {
  type Assembly,
  type AssemblyInput,
  messageText,
  noteInstruction,
  type NotePlan,
  planNote,
  toolCalls,
  type WordsFault,
  wordsFault,
} from '../../context.ts'
import { answerLimits, type Model } from '../../model.ts'
import { errorMessage } from '../../platform.ts'
import { StoreError, type TokenCounts } from '../../session.ts'
import type { AssemblyContext } from '../calls/assembly-context.ts'
import { turnClock } from '../clock.ts'
import { seal, type Sealed, type SealedManifest } from '../ledger/seal.ts'
import { textTokens } from '../models/counters.ts'
import { noteForked, type SessionState } from '../sessions/session-state.ts'
import { retryRule } from '../settings.ts'
import { type NoteCallInput, withInstruction } from './note-call.ts'

/** The last call of a turn that has ended, as it was sent. */
export interface AnsweredCall {
  readonly input: AssemblyInput
  readonly outcome: Assembly
  readonly prepared: PreparedCall
}

/** What a note is written with. */
export interface NotePlace {
  readonly context: AssemblyContext
  readonly state: SessionState
  readonly model: Model
  readonly turn: string
  /** Adds what the call is expected to cost. */
  forecast(sealed: Sealed): Promise<SealedManifest>
  /** Holds the call in the budgets of the turn; one that could pass a limit is not made. `used`: its prompt, tokens. */
  hold(used: number): NonNullable<TurnSetup['holdCall']>
}

/** Prepares words for notes in the background, so that no turn waits for one. */
export interface NoteWriter {
  /** A turn is over. Where its last call has filled most of the room, the model is asked for a note on the same prefix. */
  turnEnded(place: NotePlace, last: AnsweredCall): void
  /** A turn of the session begins: a model on a machine of one's own answers it first, and the note is asked for again later. */
  turnBegins(session: string): void
  /** Ends calls that run. */
  stop(): Promise<void>
}

/** A writer without work. `warn` is told what went wrong, once for each call. */
export function createNoteWriter(clock: Clock, warn: (text: string) => void): NoteWriter {
  const running = new Map<
    string,
    { readonly work: Promise<void>; readonly stop: AbortController; readonly isLocal: boolean }
  >()
  const leaving = new AbortController()

  return {
    turnEnded(place, last) {
      const { state, context } = place
      if (context.settings.notes !== 'model' || leaving.signal.aborted || running.has(state.session)) return
      // Only where the provider has just read the same beginning: on a dead prefix the note would cost all of it.
      if (state.readCall?.call !== last.prepared.call) return
      const plan = planNote(last.input, last.outcome.manifest)
      if (!plan || state.words !== undefined) return
      const stop = new AbortController()
      const work = write(place, last, plan, AbortSignal.any([leaving.signal, stop.signal]))
        .catch((error: unknown) => {
          if (!(error instanceof StoreError))
            warn(`The note of session ${state.session} was not written: ${errorMessage(error)}`)
        })
        .finally(() => running.delete(state.session))
      running.set(state.session, { work, stop, isLocal: place.model.facts.free === true })
    },
    turnBegins(session) {
      const note = running.get(session)
      if (note?.isLocal) note.stop.abort()
    },
    async stop() {
      leaving.abort(stopping)
      await Promise.all([...running.values()].map(({ work }) => work))
    },
  }

  async function write(place: NotePlace, last: AnsweredCall, plan: NotePlan, signal: AbortSignal): Promise<void> {
    const { context, state, model, turn } = place
    const { store, settings } = context
    const instruction = noteInstruction(Math.round(plan.most * WORDS_PER_TOKEN), plan.folds)
    const assembled = withInstruction(last.outcome, instruction, settings.counter)
    const room = assembled.manifest.budget.window - assembled.manifest.used
    const maxOutputTokens = Math.min(
      last.prepared.options?.maxOutputTokens ?? MOST_ANSWER,
      Math.max(plan.most * 2, MOST_ANSWER),
      room,
    )
    if (maxOutputTokens < plan.most) return
    const call = clock.newId('call')
    const { leastPromptTokens: _least, limits: _limits, account: _account, ...same } = last.prepared.options ?? {}
    const options = { ...same, maxOutputTokens, movingMessages: (same.movingMessages ?? 0) + 1 }
    const holdCall = place.hold(assembled.manifest.used)
    const setup = noteSetup(place, signal, {
      holdCall,
      assemble: async () => {
        const sealed = seal(assembled)
        const manifest = await place.forecast(sealed)
        const input: NoteCallInput = { noteOf: last.prepared.call, instruction, counter: settings.counter.id, options }
        await store.putCall({
          id: call,
          session: state.session,
          turn,
          upTo: state.stream.lastSeq(),
          time: clock.time(),
          model: model.id,
          kind: 'note',
          input,
          manifest,
          requestDigest: manifest.requestDigest,
        })
        const request = {
          ...last.prepared.request,
          messages: [...last.prepared.request.messages, assembled.request.messages.at(-1)!],
        }
        // From now on: the next message may come before the note is written.
        noteForked(state, model.id)
        return { call, request, options: { ...options, limits: answerLimits(maxOutputTokens, settings.maxAnswerMs) } }
      },
    })
    const reply = await askModel(setup)
    const text = reply.type === 'answer' ? messageText(reply.message) : ''
    const tokens = await textTokens(settings.counter, text)
    const fault: WordsFault | 'tool-call' | 'failed' | undefined =
      reply.type !== 'answer'
        ? 'failed'
        : toolCalls(reply.message).length > 0
          ? 'tool-call'
          : wordsFault(text, tokens, plan.most * 2)
    const about = { turn, call, through: plan.through, ...(plan.folds ? { folds: true } : {}) }
    if (reply.type === 'cancelled') return
    await store.append(
      state.session,
      [{ type: 'note', ...about, ...(fault ? { fault } : { text: text.trim() }) }],
      clock.time(),
    )
  }

  function noteSetup(
    { context, state, model, turn }: NotePlace,
    signal: AbortSignal,
    { assemble, holdCall }: Required<Pick<TurnSetup, 'assemble' | 'holdCall'>>,
  ): TurnSetup {
    const { store, settings } = context
    return {
      turn: { session: state.session, id: turn, entries: [], signal },
      model,
      assemble,
      holdCall,
      journal: {
        append: async () => [],
        async finish(call, outcome) {
          await store.finishCall(call, outcome)
          return []
        },
        countTokens: async () => NOT_COUNTED,
      },
      limits: { retries: retryRule(settings) },
      clock: turnClock(clock),
    }
  }
}

/** Tokens of a note's answer beside its words, and how many words a token is. */
const MOST_ANSWER = 1_500
const WORDS_PER_TOKEN = 0.7

const NOT_COUNTED: TokenCounts = { counter: '', full: 0, least: 0 }
