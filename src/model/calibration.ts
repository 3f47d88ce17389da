/**
 * What was learned about a token counter, for one model: how far its estimates are from what the provider reports. Plain
 * JSON, to be kept between runs. One state for each pair of model and counter.
 */
export interface Calibration {
  readonly samples: number
  /** Moving mean of reported / estimated. */
  readonly mean: number
  /** Moving mean of the distance between a sample and the mean. */
  readonly deviation: number
}

/** One prompt, counted twice. */
export interface PromptSample {
  /** What the counter made of the prompt, tokens. */
  readonly estimated: number
  /** What the provider said, tokens. */
  readonly reported: number
}

/** Nothing learned yet: a counter is taken at its word. */
export const UNCALIBRATED: Calibration = { samples: 0, mean: 1, deviation: 0 }

/** Bounds of what is believed. Beyond them something else is wrong: a truncated prompt, an image counted otherwise. */
const LEAST_RATIO = 0.5
const MOST_RATIO = 2

/** Shorter prompts are mostly wrappers, which say little about text. Tokens. */
const SHORTEST_SAMPLE = 50

/** Weight of a new sample once there are some; before, all samples weigh the same. */
const WEIGHT = 0.1

/** Takes in one call. Absurd samples leave the state as it was. */
export function observe(state: Calibration, { estimated, reported }: PromptSample): Calibration {
  if (!(estimated >= SHORTEST_SAMPLE) || !Number.isFinite(estimated)) return state
  const sample = reported / estimated
  if (!(sample >= LEAST_RATIO && sample <= MOST_RATIO)) return state
  const samples = state.samples + 1
  const weight = Math.max(WEIGHT, 1 / samples)
  const mean = state.mean + weight * (sample - state.mean)
  const distance = Math.abs(sample - mean)
  return { samples, mean, deviation: state.deviation + weight * (distance - state.deviation) }
}

/** What an estimate is multiplied by to expect what the provider will count. Between 0.5 and 2; 1 without samples. */
export function ratio(state: Calibration): number {
  return state.samples === 0 ? 1 : Math.min(MOST_RATIO, Math.max(LEAST_RATIO, state.mean))
}

/** Shares of what is available. */
const UNKNOWN_SHARE = 0.02
const LEAST_SHARE = 0.005
const MOST_SHARE = 0.15

/** Three mean distances hold nearly every sample of a bell-shaped error. */
const DISTANCES = 3

/**
 * Tokens to leave free so that an estimate which is off by its usual error still fits: 2 % of `available` as long as nothing
 * is known, then three times the measured distance, and something extra while samples are few. Between 0.5 and 15 %.
 */
export function margin(state: Calibration, available: number): number {
  if (!(available > 0)) return 0
  const measured = (DISTANCES * state.deviation) / ratio(state) + UNKNOWN_SHARE / (1 + state.samples)
  const share = state.samples === 0 ? UNKNOWN_SHARE : Math.min(MOST_SHARE, Math.max(LEAST_SHARE, measured))
  return Math.ceil(available * share)
}
