import { askModel, stopping, type TurnSetup } from '../../agent.ts'
import type { Clock } from '../../capability.ts'
import {
  messageText,
  noteInstruction,
  type NotePlan,
  planNote,
  toolCalls,
  type WordsFault,
  wordsFault,
} from '../../context.ts'
import { answerLimits } from '../../model.ts'
import { type Activity, defined, errorMessage, PAID_WORK_MS, restingClock, settlesWithin } from '../../platform.ts'
import { StoreError, type TokenCounts } from '../../session.ts'
import { seal } from '../calls/seal.ts'
import { textTokens } from '../models/counters.ts'
import { keptAlive, noteForked } from '../sessions/session-state.ts'
import { retryRule } from '../settings.ts'
import { addForecast } from '../turn/call-forecast.ts'
import { type EndedTurn, holdNote } from '../turn/note-hook.ts'
import type { SentAssembly } from '../turn/record-call.ts'
import { restOfCache } from '../calls/cache-life.ts'
import type { IdleSessions } from './idle-sessions.ts'
import { weighedCut } from '../turn/weighed-cut.ts'
import { type NoteCallInput, withInstruction } from '../calls/note-call.ts'

interface WriterParts {
  readonly clock: Clock
  /** Is told what went wrong, once for each call. */
  readonly warn: (text: string) => void
  readonly idle: IdleSessions
  readonly activity: Activity
}

/** Prepares words for notes in the background, so that no turn waits for one. */
export function createNoteWriter({ clock, warn, idle, activity }: WriterParts) {
  const running = new Map<
    string,
    { readonly work: Promise<void>; readonly stop: AbortController; readonly isLocal: boolean }
  >()
  const leaving = new AbortController()
  let recovering: Promise<void> | undefined
  /** Sessions that wait until the cache of their provider is about to end. */
  const waiting = new Map<string, { readonly work: Promise<void>; readonly stop: AbortController }>()

  return {
    /** A turn is over. Mostly full room: the model is asked for a note at once; half full: before the provider forgets the prefix. */
    turnEnded(ended: EndedTurn, last: SentAssembly) {
      const { state, context, model } = ended
      if (context.settings.notes !== 'model' || !last.input.notes) return
      if (leaving.signal.aborted || running.has(state.session)) return
      // Only where the provider has just read the same beginning: on a dead prefix the note would cost all of it.
      const { readCall, words, noteAsked } = state
      if (readCall?.call !== last.prepared.call) return
      const { available } = last.outcome.manifest.budget
      const now = Date.parse(clock.time())
      const recent = state.placed?.calls ?? []
      const worth = noteAsked ? undefined : weighedCut({ context, model, state, recent, now }, available)
      const answer = last.prepared.options?.maxOutputTokens
      const plan = planNote(last.input, last.outcome.manifest, { words, worth, answer })
      if (plan) return begin(ended, last, plan)
      const waitMs = restOfCache(readCall, model, now)
      if (waitMs === undefined || noteAsked) return
      if (!planNote(last.input, last.outcome.manifest, { ending: true, words, answer })) return
      wait(state.session, readCall.call, waitMs)
    },
    /** A turn of the session begins: a model on a machine of one's own answers it first, and the note is asked for again later. */
    turnBegins(session: string) {
      waiting.get(session)?.stop.abort()
      const note = running.get(session)
      if (note?.isLocal) note.stop.abort()
    },
    recover() {
      recovering = activity.run(undefined, findIdle()).catch((error: unknown) => {
        if (!leaving.signal.aborted) warn(`Notes of idle sessions are not prepared: ${errorMessage(error)}`)
      })
    },
    /**
     * Ends what waits. A note that is being paid for comes to its end first, if that is soon. With `finishes` every note does,
     * however long it takes.
     */
    async stop({ finishes }: { readonly finishes: boolean }) {
      for (const { stop } of waiting.values()) stop.abort(stopping)
      const paid = [...running.values()].filter(({ isLocal }) => finishes || !isLocal)
      const written = Promise.all(paid.map(({ work }) => work))
      await (finishes ? written : settlesWithin(clock, written, PAID_WORK_MS))
      leaving.abort(stopping)
      await recovering
      await Promise.all([...waiting.values(), ...running.values()].map(({ work }) => work))
    },
  }

  function begin(ended: EndedTurn, last: SentAssembly, plan: NotePlan): void {
    const { state, model } = ended
    const stop = new AbortController()
    const signal = AbortSignal.any([leaving.signal, stop.signal])
    const work = activity
      .run(state.session, write(ended, last, plan, signal))
      .catch((error: unknown) => failed(state.session, error))
      .finally(() => running.delete(state.session))
    running.set(state.session, { work, stop, isLocal: model.facts.free === true })
  }

  async function findIdle(): Promise<void> {
    for await (const { session, call, waitMs } of idle.recent()) {
      if (leaving.signal.aborted) return
      if (!waiting.has(session) && !running.has(session)) wait(session, call, waitMs)
    }
  }

  /** Writes the note of a session shortly before its provider forgets the prompt, unless something happens in it before. */
  function wait(session: string, call: string, waitMs: number): void {
    waiting.get(session)?.stop.abort()
    const stop = new AbortController()
    const signal = AbortSignal.any([leaving.signal, stop.signal])
    const work = activity
      .run(session, ending(session, call, waitMs, signal))
      .catch((error: unknown) => failed(session, error))
      .finally(() => {
        if (waiting.get(session)?.stop === stop) waiting.delete(session)
      })
    waiting.set(session, { work, stop })
  }

  async function ending(session: string, call: string, waitMs: number, signal: AbortSignal): Promise<void> {
    await activity.rest(session, clock.sleep(waitMs, signal, { idle: true }))
    if (signal.aborted || running.has(session)) return
    const read = await idle.read(session, call, signal)
    const answer = read?.last.prepared.options?.maxOutputTokens
    const plan = read && planNote(read.last.input, read.last.outcome.manifest, { ending: true, answer })
    if (plan && !signal.aborted) begin(read.ended, read.last, plan)
  }

  function failed(session: string, error: unknown): void {
    if (error instanceof StoreError || leaving.signal.aborted) return
    warn(`The note of session ${session} was not written: ${errorMessage(error)}`)
  }

  async function write(ended: EndedTurn, last: SentAssembly, plan: NotePlan, signal: AbortSignal): Promise<void> {
    const { context, state, model, id: turn } = ended
    const { store, settings } = context
    const instruction = noteInstruction(Math.round(plan.most * WORDS_PER_TOKEN), plan.folds)
    const assembled = withInstruction(last.outcome, instruction, settings.counter)
    const room = assembled.manifest.budget.window - assembled.manifest.used
    const maxOutputTokens = Math.min(
      last.prepared.options?.maxOutputTokens ?? MOST_ANSWER,
      Math.max(plan.most * 2, MOST_ANSWER),
      room,
    )
    if (maxOutputTokens < plan.most) {
      throw new Error(`the prompt leaves ${room} tokens of the window to its answer, and it needs ${plan.most}`)
    }
    const call = clock.newId('call')
    const asked = Date.parse(clock.time())
    const {
      leastPromptTokens: _least,
      leastWholeTokens: _whole,
      limits: _limits,
      account: _account,
      ...same
    } = last.prepared.options ?? {}
    // The next message does not wait for the slot of a note.
    const cacheSlot = context.slots.take(model, state.session, call)
    const { cacheSlot: _slot, ...others } = same
    const movingMessages = (same.movingMessages ?? 0) + 1
    const options = { ...others, maxOutputTokens, movingMessages, ...defined({ cacheSlot }) }
    const holdCall = holdNote(ended, assembled.manifest.used)
    const setup = noteSetup(ended, signal, {
      holdCall,
      assemble: async () => {
        const sealed = seal(assembled)
        const manifest = await addForecast(ended, sealed, state.lastCall?.life)
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
    const reply = await askModel(setup).finally(() => context.slots.end(call))
    const text = reply.type === 'answer' ? messageText(reply.message) : ''
    const tokens = await textTokens(clock, settings.counter, text)
    const fault: WordsFault | 'tool-call' | 'failed' | undefined =
      reply.type !== 'answer'
        ? 'failed'
        : toolCalls(reply.message).length > 0
          ? 'tool-call'
          : wordsFault(text, tokens, plan.most * 2)
    const about = { turn, call, through: plan.through, ...(plan.folds ? { folds: true } : {}) }
    if (reply.type === 'cancelled') return
    if (reply.type === 'answer') keptAlive(state, last.prepared.call, asked)
    await store.append(
      state.session,
      [{ type: 'note', ...about, ...(fault ? { fault } : { text: text.trim() }) }],
      clock.time(),
    )
  }

  function noteSetup(
    { context, state, model, id: turn }: EndedTurn,
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
      clock: restingClock(clock, activity, state.session),
    }
  }
}

/** Tokens of a note's answer beside its words, and how many words a token is. */
const MOST_ANSWER = 1_500
const WORDS_PER_TOKEN = 0.7

const NOT_COUNTED: TokenCounts = { counter: '', full: 0, least: 0 }
