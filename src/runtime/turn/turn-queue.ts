import { type TurnHealth, type RetryRule, runTurn, stopping } from '../../agent.ts'
import { type Clock, type FileLibrary, RuntimeError } from '../../capability.ts'
import { layoutOf, messageText } from '../../context.ts'
import { ModelError } from '../../model.ts'
import { type Activity, defined, errorMessage, restingClock } from '../../platform.ts'
import {
  type EntryBody,
  type InputOptions,
  type SessionStore,
  StoreError,
  type StoreErrorCode,
  withEdits,
} from '../../session.ts'
import type { BudgetService } from '../budgets/budget-service.ts'
import type { Outbox } from '../channels/outbox.ts'
import { failureSentence, runtimeFailure } from '../failure.ts'
import type { Sealed } from '../calls/seal.ts'
import { inputFiles } from '../calls/attachments.ts'
import { keepTurn } from '../calls/history-loader.ts'
import type { NoteHook } from './note-hook.ts'
import type { SentAssembly, LiveTurn } from './record-call.ts'
import type { SessionState, SessionStates } from '../sessions/session-state.ts'
import type { ApprovalService } from '../tools/approval-service.ts'
import type { ToolPolicy } from '../tools/tool-policy.ts'
import { prepareWithRetries, type PreparedTurn, type SaidInTurn } from './prepare-turn.ts'
import { createStorageRetry } from './storage-retry.ts'
import { turnSetup } from './turn-setup.ts'
import { withFallback } from './with-fallback.ts'

/** How often it is looked at whether a turn that waits for others may begin, ms. */
const ADMIT_MS = 200

type EditedMessage = Omit<Extract<EntryBody, { readonly type: 'edit' }>, 'type' | 'turn'>

export type TurnQueue = ReturnType<typeof createTurnQueue>

/**
 * Runs turns: one at a time in a session, in the order of their input; sessions side by side (docs/decisions/0007). The queue is
 * empty until `recover` or `add`.
 */
export function createTurnQueue(parts: {
  readonly store: SessionStore
  /** Everything that a turn of this session needs, after late starts have finished. */
  readonly prepare: (state: SessionState, asked: InputOptions, said: SaidInTurn) => Promise<PreparedTurn>
  readonly policy: ToolPolicy
  readonly approvals: ApprovalService
  readonly budgets: BudgetService
  readonly library: FileLibrary | undefined
  readonly states: SessionStates
  readonly outbox: Outbox
  readonly clock: Clock
  readonly activity: Activity
  readonly health: TurnHealth
  /** When a provider that cannot be asked about a turn's model is asked again. */
  readonly retries: RetryRule
  readonly warn: (text: string) => void
  /** Prepares notes after a turn. None are prepared where it is absent. */
  readonly notes?: NoteHook
  /** Pauses before a write is tried again that the store refused, ms; usual ones where absent. */
  readonly storageRetryDelaysMs?: readonly number[] | undefined
  /** How many turns may run at once now, without those that wait for a person; `undefined`: all of them. */
  readonly turnsAtOnce: () => number | undefined
  readFingerprint(call: string): Promise<Sealed['fingerprint'] | undefined>
}) {
  const { store, states, outbox, clock, activity, retries, warn, turnsAtOnce } = parts
  const active = new Set<Promise<void>>()
  /** Waiting turns whose cancellation is being written, by `SESSION TURN`. */
  const cancelling = new Map<string, Promise<void>>()
  const editing = new Map<string, Promise<unknown>>()
  /** Turns that the store has stopped and that have not come to their end since. */
  const stoppedByStore = new Set<string>()
  const retry = createStorageRetry(parts.clock, store, resume, parts.storageRetryDelaysMs)
  /** Sessions whose next turn waits until fewer turns run, in the order in which they began to wait. */
  const crowded = new Set<SessionState>()
  let stopLooking: (() => void) | undefined
  let stopped = false

  function isFull(): boolean {
    const most = turnsAtOnce()
    // Who waits for a person is counted only where that decides.
    return most !== undefined && active.size >= most && active.size - parts.approvals.waitingTurns() >= most
  }

  /** Begins what has waited. Looked at again and again as well: a turn that begins to wait for a person leaves room, and says nothing. */
  function admit(): void {
    for (const state of crowded) {
      if (isFull()) return
      crowded.delete(state)
      next(state)
    }
    stopLooking?.()
    stopLooking = undefined
  }

  /** `beside`: the turn that answers the same message, to run at the same time. */
  function add(state: SessionState, turn: string, beside?: string): void {
    state.queue.push(turn)
    if (beside !== undefined) state.queue.push(beside)
    state.stalled = false
    states.keep(state)
    next(state)
  }

  function next(state: SessionState, place: 'running' | 'beside' = 'running'): void {
    if (stopped || state.stalled || state[place] || (state.beside && place === 'running')) return
    const [turn] = state.queue
    // The next turn begins once the end of this one is on disk: it reads the session from the log.
    const name = `${state.session} ${turn}`
    if (turn === undefined || cancelling.has(name) || editing.has(name)) return
    if (isFull()) {
      crowded.add(state)
      stopLooking ??= clock.every(ADMIT_MS, admit)
      return
    }
    state.queue.shift()
    const controller = new AbortController()
    state[place] = { turn, controller }
    // What one of two models was sent last is nothing that the other goes on from. What each has read is by its name.
    const known = place === 'beside' ? { ...state } : state
    const work = activity
      .run(state.session, run(state, turn, controller.signal, known))
      .then(() => settled(turn))
      .catch((error: unknown) => interrupted(state, turn, error))
      .finally(() => {
        active.delete(work)
        state[place] = undefined
        next(state)
        if (crowded.size > 0) admit()
      })
    active.add(work)
    const input = state.live.get(turn)?.[0]
    const second = input?.type === 'input' ? input.options?.beside : undefined
    if (place === 'running' && second !== undefined && state.queue[0] === second) next(state, 'beside')
  }

  async function run(state: SessionState, turn: string, signal: AbortSignal, known: SessionState): Promise<void> {
    parts.notes?.turnBegins(state.session)
    /** What follows is added to it. */
    const log = state.live.get(turn)
    const entries = [...withEdits(log ?? (await store.entries(state.session, { turn })))]
    const input = entries.find((entry) => entry.type === 'input')
    if (!input || input.type !== 'input') throw new Error('its input is not in the log')
    const files = input.attachments?.map(({ file }) => file)
    const said = { turn, text: messageText(input.message), ...defined({ attachments: files }), keeps: true, signal }
    const rule = input.options?.whenRefused === 'fail' ? { ...retries, refusedIsFinal: true } : retries
    let prepared: PreparedTurn
    try {
      prepared = await prepareWithRetries(() => parts.prepare(state, input.options ?? {}, said), {
        rule,
        clock: restingClock(clock, activity, state.session),
        signal,
        show: (notice) => state.stream.delta(turn, notice),
      })
    } catch (error) {
      if (signal.reason === stopping) return stopsHere(state, turn)
      if (signal.aborted) return endTurn(state, turn, { type: 'cancelled' })
      if (error instanceof StoreError) throw error
      return failTurn(state, turn, error)
    }
    const { readFingerprint, policy, approvals, budgets, health, library, notes } = parts
    let last: SentAssembly | undefined
    let live: LiveTurn = {
      ...prepared,
      state: known,
      beside: input.options?.beside,
      id: turn,
      time: input.time,
      files: inputFiles([input]),
      isLogged: true,
      entries,
      policy,
      library,
      approvals,
      budgets,
      health,
      clock,
      activity,
      signal,
      retries: rule,
      readFingerprint,
      assembled: (call) => (last = call),
    }
    if (prepared.afterFailure) live = withFallback(live, prepared, rule, (passed) => (live = passed))
    const outcome = await runTurn(turnSetup(live))
    if (outcome && log) {
      const { cache, settings } = live.context
      const { session } = state
      keepTurn(cache, turn, log, { session, counter: settings.counter, layout: layoutOf(settings.layout) })
    }
    if (outcome && last && !stopped && known === state) notes?.turnEnded(live, last)
    if (outcome) void outbox.deliver(state)
    else stopsHere(state, turn)
  }

  function stopsHere(state: SessionState, turn: string): void {
    state.stream.interrupted(turn, 'closing', 'The gateway is stopping. The turn resumes at its next start.')
  }

  /** The log cannot record the end of the turn: watchers and the operator are told, and it resumes once a write succeeds. */
  function interrupted(state: SessionState, turn: string, error: unknown): void {
    const failure = runtimeFailure(error)
    const code = failure instanceof RuntimeError ? failure.code : 'storage'
    const keepsPlace = error instanceof StoreError && PASSING.has(error.code)
    if (keepsPlace) state.queue.unshift(turn)
    state.stalled = keepsPlace
    const when = keepsPlace ? 'on its own as soon as the store can be written' : 'at the next start'
    const message = `The turn stopped: ${failureSentence(error)} It resumes ${when}.`
    state.stream.interrupted(turn, code, message)
    warn(`${turn}: ${message}`)
    if (!keepsPlace) return
    stoppedByStore.add(turn)
    retry.failed()
  }

  function settled(turn: string): void {
    if (stoppedByStore.delete(turn) && stoppedByStore.size === 0) retry.recovered()
  }

  function resume(): void {
    for (const state of states.all()) {
      if (!state.stalled) continue
      state.stalled = false
      next(state)
    }
  }

  async function endWaiting(state: SessionState, turn: string, bodies: readonly EntryBody[]): Promise<void> {
    await store.append(state.session, bodies, clock.time())
    void outbox.deliver(state)
    const position = state.queue.indexOf(turn)
    state.queue.splice(position, 1)
    if (position === 0) state.stalled = false
    settled(turn)
  }

  async function cancelWaiting(
    state: SessionState,
    turn: string,
    bodies: () => readonly EntryBody[] | Promise<readonly EntryBody[]>,
  ): Promise<boolean> {
    if (!state.queue.includes(turn)) return false
    const name = `${state.session} ${turn}`
    const end = async (): Promise<void> => endWaiting(state, turn, await bodies())
    const ending = cancelling.get(name) ?? end().finally(() => cancelling.delete(name))
    cancelling.set(name, ending)
    try {
      await ending
      return true
    } catch (error) {
      throw runtimeFailure(error)
    } finally {
      next(state)
    }
  }

  /** It does not begin before its message is on disk. Edits of one message follow each other. */
  async function editWaiting(
    state: SessionState,
    turn: string,
    message: EditedMessage,
    assertSame = async (): Promise<void> => {},
  ): Promise<boolean> {
    const name = `${state.session} ${turn}`
    while (editing.has(name)) await Promise.allSettled([editing.get(name)])
    if (!state.queue.includes(turn) || cancelling.has(name)) return false
    const body: EntryBody = { type: 'edit', turn, ...message }
    const written = assertSame().then(() => store.append(state.session, [body], clock.time()))
    editing.set(name, written)
    try {
      await written
      return true
    } catch (error) {
      // It had begun before the store failed, and goes on later.
      if (error instanceof StoreError && error.code === 'conflict') return false
      throw runtimeFailure(error)
    } finally {
      editing.delete(name)
      next(state)
    }
  }

  async function cancel(state: SessionState, turn: string): Promise<boolean> {
    const found = [state.running, state.beside].find((each) => each?.turn === turn)
    if (!found) return cancelWaiting(state, turn, () => [{ type: 'turn-end', turn, outcome: { type: 'cancelled' } }])
    found.controller.abort('cancelled')
    return true
  }

  async function failTurn(state: SessionState, turn: string, error: unknown): Promise<void> {
    const code = error instanceof ModelError ? error.code : 'internal'
    const outcome = { type: 'failed', code, message: errorMessage(error) } as const
    await endTurn(state, turn, outcome)
  }

  async function endTurn(
    state: SessionState,
    turn: string,
    outcome: { type: 'cancelled' } | { type: 'failed'; code: string; message: string },
  ): Promise<void> {
    await store.append(state.session, [{ type: 'turn-end', turn, outcome }], clock.time())
    void outbox.deliver(state)
  }

  return {
    add,
    /** Returns false where the turn neither waits nor runs. */
    cancel,
    /** The same for a turn that waits, whose message no call reads from then on. */
    withdraw: (state: SessionState, turn: string) =>
      cancelWaiting(state, turn, async () => [
        { type: 'turn-end', turn, outcome: { type: 'cancelled' } },
        { type: 'head', turn, head: (await turnBefore(store, state.session, turn)) ?? null },
      ]),
    /** Replaces the message of a turn that waits; false where it does not. `assertSame` rejects for another message than was read. */
    edit: editWaiting,
    /**
     * Takes up every turn that a former process left, and every reply that it did not deliver. One that `begins` refuses
     * waits for the next message of its session.
     */
    async recover(begins: (turn: string) => boolean = () => true) {
      const unfinished = await store.unfinishedTurns()
      for (const { session, turn } of unfinished) {
        const state = await states.of(session)
        if (!state) continue
        state.queue.push(turn)
        state.stalled ||= !begins(state.queue[0]!)
        states.keep(state)
        next(state)
      }
      outbox.recover(states)
      return unfinished.length
    },
    counts() {
      let running = 0
      let queued = 0
      for (const state of states.all()) {
        if (state.running) running += 1
        if (state.beside) running += 1
        queued += state.queue.length
      }
      return { running, queued }
    },
    /**
     * Ends running calls and leaves their turns for the next start. With `cancels`, only turns that wait for a person or
     * were left by another process stay; the others are cancelled, and a note that is being written is finished.
     */
    async stop({ cancels }: { readonly cancels: boolean }) {
      stopped = true
      stopLooking?.()
      retry.stop()
      const waiting = cancels ? await parts.approvals.turns() : new Set<string>()
      for (const state of states.all()) {
        const { queue, live } = state
        for (const each of [state.running, state.beside]) {
          const ends = cancels && each !== undefined && !waiting.has(each.turn)
          each?.controller.abort(ends ? 'cancelled' : stopping)
        }
        // Where the store cannot be written, they wait for the next start.
        for (const turn of cancels ? queue.filter((each) => live.has(each)) : [])
          active.add(cancel(state, turn).then(ignore, ignore))
      }
      await Promise.all(active)
      await parts.notes?.stop({ finishes: cancels })
      await outbox.stop()
    },
  }
}

/** The turn that the conversation continues after without a turn: the newest one before it that was not taken back. */
async function turnBefore(store: SessionStore, session: string, turn: string): Promise<string | undefined> {
  let before = (await store.turn(session, turn))?.ordinal
  for (;;) {
    const page = await store.turns(session, { limit: 50, ...defined({ before }) })
    const found = page.find(({ state }) => state !== 'undone')
    if (found || page.length < 50) return found?.turn
    before = page.at(-1)?.ordinal
  }
}

/** Failures of the store that can be over in a while. */
const PASSING: ReadonlySet<StoreErrorCode> = new Set(['full', 'busy', 'io'])

function ignore(): void {}
