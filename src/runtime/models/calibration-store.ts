import type { Clock } from '../../platform.ts'
import type { TokenCounter } from '../../context.ts'
import {
  type Calibration,
  type KindCalibration,
  type KindSample,
  margin,
  observe,
  observeKinds,
  ratio,
  UNCALIBRATED,
  UNKNOWN_KINDS,
} from '../../model.ts'
import type { ValueStore } from '../../session.ts'
import { counterKey } from '../models/counters.ts'

/** What was learned about counters from what providers reported, for each model, over restarts. */
export type CalibrationStore = Awaited<ReturnType<typeof openCalibrationStore>>

const KEY = 'calibration'
const KINDS_KEY = 'calibration-kinds'

const ENOUGH_SAMPLES = 3
const SAVE_AFTER_MS = 30_000

/** Reads what was learned before. It is kept in the store, and written twice a minute at most. */
export async function openCalibrationStore(store: ValueStore, clock: Clock, warn: (text: string) => void) {
  const states = new Map(Object.entries(((await store.value(KEY)) ?? {}) as Record<string, Calibration>))
  const keptKinds = Object.entries(((await store.value(KINDS_KEY)) ?? {}) as Record<string, Partial<KindCalibration>>)
  const kinds = new Map(keptKinds.map(([name, state]) => [name, { ...UNKNOWN_KINDS, ...state }]))
  const ratioKey = (model: string, counter: TokenCounter) => `${model} ${counterKey(counter)}`
  const called = new Set([...states.keys()].map((name) => name.split(' ')[0]))
  let cancel: (() => void) | undefined

  async function write(): Promise<void> {
    cancel?.()
    cancel = undefined
    try {
      await Promise.all([
        store.putValue(KEY, Object.fromEntries(states)),
        store.putValue(KINDS_KEY, Object.fromEntries(kinds)),
      ])
    } catch (error) {
      warn(`Could not save what was learned about token counts: ${String(error)}`)
    }
  }

  return {
    /** Tokens of the room to leave free: what the counter is known to count short, and its measured error. */
    margin(model: string, counter: TokenCounter, room: number) {
      const state = states.get(ratioKey(model, counter)) ?? UNCALIBRATED
      const counted = Math.floor(room / Math.max(1, ratio(state)))
      return room - counted + margin(state, counted)
    },
    /** Reported ÷ estimated tokens; 1 where nothing was learned. */
    ratio: (model: string, counter: TokenCounter) => ratio(states.get(ratioKey(model, counter)) ?? UNCALIBRATED),
    /** How far the counter is off for each kind of text, and the estimates after that. */
    kinds: (model: string, counter: TokenCounter) => kinds.get(ratioKey(model, counter)) ?? UNKNOWN_KINDS,
    observeKinds(model: string, counter: TokenCounter, sample: KindSample) {
      const name = ratioKey(model, counter)
      const before = kinds.get(name) ?? UNKNOWN_KINDS
      const after = observeKinds(before, sample, ratio(states.get(name) ?? UNCALIBRATED))
      if (after === before) return
      kinds.set(name, after)
      cancel ??= clock.timer(SAVE_AFTER_MS, () => void write(), { idle: true })
    },
    isMeasured: (model: string, counter: TokenCounter) =>
      (states.get(ratioKey(model, counter))?.samples ?? 0) >= ENOUGH_SAMPLES,
    /** Models that were called in this process, and those of which something is known from before. */
    called,
    observe(model: string, counter: TokenCounter, estimated: number, reported: number) {
      const name = ratioKey(model, counter)
      const before = states.get(name) ?? UNCALIBRATED
      const after = observe(before, { estimated, reported })
      if (after === before) return
      states.set(name, after)
      // What was learned in the last half minute may be lost in a crash; it is learned again.
      cancel ??= clock.timer(SAVE_AFTER_MS, () => void write(), { idle: true })
    },
    /** Writes what was learned and not yet saved; `undefined`: nothing. */
    idle: () => (cancel ? write() : undefined),
    view(model: string) {
      for (const [name, state] of states) {
        const [id, counter] = name.split(' ')
        if (id === model && counter) return { counter, ratio: ratio(state), samples: state.samples }
      }
      return undefined
    },
  }
}
