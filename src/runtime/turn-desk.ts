import type { PreparedCall, Step, TurnSetup } from '../agent.ts'
import { type Assembly, ContextOverflowError, type Cut, outline, type Turn } from '../context.ts'
import { forecast, type Model } from '../model.ts'
import type { CallRecord, Entry, EntryBody } from '../session.ts'
import { createToolbox, type Tool } from '../tool.ts'
import { recordInput } from './call-input.ts'
import type { Clock } from './clock.ts'
import { attemptCall, type CallQuestion, windowOf, type Workbench } from './prepare-call.ts'
import { type Reuse, seal, type Sealed, type SealedManifest } from './seal.ts'
import { reserveFor } from './settings.ts'
import { publish, type SessionDesk } from './session-desk.ts'
import { counterKey, tokenCounts } from './turn-projection.ts'

/** What one turn is run with. */
export interface TurnDesk {
  readonly bench: Workbench
  readonly desk: SessionDesk
  readonly model: Model
  readonly turn: string
  readonly entries: readonly Entry[]
  /** Everything that can be called, the history tool included. */
  readonly tools: readonly Tool[]
  readonly clock: Clock
  readonly signal: AbortSignal
  /** Reads the pieces of an earlier call again, after a restart. */
  fingerprintOf(call: string): Promise<Sealed['fingerprint'] | undefined>
}

/** Joins the loop of a turn to the store, the stream and the account. */
export function turnSetup(turnDesk: TurnDesk): TurnSetup {
  const { bench, desk, model, turn, clock, signal, entries, tools } = turnDesk
  const { store, settings } = bench
  const { session } = desk
  const input = entries.find((entry) => entry.type === 'input')
  const started = entries.some((entry) => entry.type === 'turn-start')
  let opening: readonly EntryBody[] = started ? [] : [{ type: 'turn-start', turn }]
  /** What the last call was estimated at, to learn from what is reported and to cut deeper where it was too much. */
  let estimated = 0

  async function append(bodies: readonly EntryBody[]): Promise<readonly Entry[]> {
    const all = [...opening, ...bodies]
    opening = []
    const written = await store.append(session, all, clock.time())
    publish(desk, written)
    return written
  }

  async function prepare(step: Step): Promise<PreparedCall> {
    const key = counterKey(settings.counter)
    const current: Turn = {
      id: turn,
      messages: step.messages.map(({ message, counted }) =>
        counted.counter === key ? { message, tokens: counted.full } : { message },
      ),
    }
    const question: CallQuestion = {
      model,
      session,
      hasHistory: desk.hasHistory,
      loggedTurn: turn,
      current,
      time: input?.time ?? clock.time(),
      cut: usableCut(desk, bench, model),
      last: step.last,
      ...(step.deeper ? { deeper: { ...step.deeper, used: estimated } } : {}),
    }
    if (step.deeper) bench.calibration.noteLimit(model.id, step.deeper.limit)
    const attempt = await attemptCall(bench, question)
    const call = clock.newId('call')
    const upTo = desk.stream.lastSeq() || (entries.at(-1)?.seq ?? 0)
    const base = {
      id: call,
      session,
      turn,
      upTo,
      time: clock.time(),
      model: model.id,
      input: await recordInput(store, attempt.input, settings.layout, true),
    }
    if (attempt.outcome instanceof ContextOverflowError) {
      await writeOverflow(base, attempt.outcome)
      throw attempt.outcome
    }
    const sealed = seal(attempt.outcome)
    const manifest = await withReuse(turnDesk, attempt.outcome, sealed)
    const record: CallRecord = { ...base, manifest, requestDigest: sealed.manifest.requestDigest }
    const { cut } = manifest
    const cutEntries = cutBodies(desk, turn, call, cut, manifest.budget.available)
    await Promise.all([
      store.putCall(record),
      append([{ type: 'assembly', turn, call, model: model.id, ...(cut ? { cut } : {}) }, ...cutEntries]),
    ])
    desk.lastCall = { call, fingerprint: sealed.fingerprint, at: clock.monotonic() }
    estimated = manifest.used
    const { request } = attempt.outcome
    return {
      call,
      request,
      toolChoice: attempt.toolChoice,
      window: manifest.budget.window,
      reserve: manifest.budget.reserve,
      leastPromptTokens: bench.calibration.leastPromptTokens(model.id, settings.counter, manifest.used),
      account: outline(manifest),
    }
  }

  async function writeOverflow(base: Omit<CallRecord, 'manifest' | 'requestDigest'>, error: ContextOverflowError) {
    const record: CallRecord = { ...base, manifest: error.manifest, requestDigest: '' }
    await Promise.all([store.putCall(record), append([{ type: 'assembly', turn, call: base.id, model: model.id }])])
    await store.finishCall(base.id, { error: { code: error.code, message: error.message }, durationMs: 0 })
  }

  return {
    session,
    turn,
    entries,
    model,
    toolbox: createToolbox(tools, settings.toolTimeoutMs === undefined ? {} : { timeoutMs: settings.toolTimeoutMs }),
    maxSteps: settings.maxSteps,
    retryDelaysMs: settings.retryDelaysMs,
    ...(settings.reasoning === undefined ? {} : { reasoning: settings.reasoning }),
    prepare,
    append,
    async finish(call, outcome, bodies) {
      const reported = outcome.usage?.promptTokens
      if (reported !== undefined && estimated > 0) {
        bench.calibration.observe(model.id, settings.counter, estimated, reported)
      }
      const [, written] = await Promise.all([store.finishCall(call, outcome), bodies.length > 0 ? append(bodies) : []])
      return written
    },
    tokensOf: (message, partial) => tokenCounts(settings.counter, message, partial),
    show: (delta) => desk.stream.delta(turn, delta),
    signal,
    now: () => clock.monotonic(),
  }
}

/** A cut that was made for a much smaller window hides what now has room: it is forgotten. */
export function usableCut({ cut }: SessionDesk, bench: Workbench, model: Model): Cut | undefined {
  if (!cut) return undefined
  const window = windowOf(bench.calibration, model)
  const room = window - reserveFor(bench.settings, { ...model.facts, window })
  return room > cut.available * 1.5 ? undefined : cut.marks
}

function cutBodies(
  desk: SessionDesk,
  turn: string,
  call: string,
  cut: Cut | undefined,
  available: number,
): readonly EntryBody[] {
  if (!cut || JSON.stringify(desk.cut?.marks) === JSON.stringify(cut)) return []
  desk.cut = { marks: cut, available }
  return [{ type: 'cut', turn, call, cut, available }]
}

async function withReuse(
  { bench, desk, model, clock, fingerprintOf }: TurnDesk,
  assembly: Assembly,
  sealed: Sealed,
): Promise<SealedManifest> {
  const { manifest, fingerprint } = sealed
  const before = desk.lastCall && (desk.lastCall.fingerprint ?? (await fingerprintOf(desk.lastCall.call)))
  const reuse = before ? reuseOf(before, fingerprint, manifest) : undefined
  const { price, cache } = model.facts
  const real = (tokens: number) => Math.round(tokens * bench.calibration.ratio(model.id, bench.settings.counter))
  const at = desk.lastCall?.at
  const expected = forecast({
    promptTokens: real(assembly.manifest.used),
    reuseTokens: real(reuse?.tokens ?? 0),
    ...(at === undefined ? {} : { secondsSince: (clock.monotonic() - at) / 1000 }),
    ...(price ? { price } : {}),
    ...(cache ? { cache } : {}),
  })
  return { ...manifest, ...(reuse ? { reuse } : {}), forecast: expected }
}

function reuseOf(before: Sealed['fingerprint'], after: Sealed['fingerprint'], manifest: Sealed['manifest']): Reuse {
  let pieces = 0
  let tokens = 0
  while (pieces < before.length && pieces < after.length && before[pieces]!.content === after[pieces]!.content) {
    tokens += after[pieces]!.tokens
    pieces += 1
  }
  const next = after[pieces]
  const changed = next && manifest.entries[next.entry]
  if (!changed) return { tokens }
  const cause = pieces === before.length ? 'grew' : 'changed'
  return { tokens, firstChange: { id: changed.id, slot: changed.slot, cause } }
}
