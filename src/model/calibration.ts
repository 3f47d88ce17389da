/**
 * Calibration of a token counter for one model: the ratio of reported to estimated tokens. Plain JSON, one state for each
 * pair of model and counter.
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
  /** Estimate of the counter, tokens. */
  readonly estimated: number
  /** Figure of the provider, tokens. */
  readonly reported: number
}

/** No samples yet: estimates are used as they are. */
export const UNCALIBRATED: Calibration = { samples: 0, mean: 1, deviation: 0 }

/** Bounds of a plausible sample. Outside them something else is wrong, such as a truncated prompt or an uncounted image. */
const LEAST_RATIO = 0.5
const MOST_RATIO = 2

/** The shortest sample, tokens: shorter prompts are mostly template overhead. */
const SHORTEST_SAMPLE = 50

/** Weight of a new sample; the first ones all weigh the same. */
const WEIGHT = 0.1

/** The state after one more call. Implausible samples change nothing. */
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

/** Factor from an estimate to the expected figure of the provider, between 0.5 and 2; 1 without samples. */
export function ratio(state: Calibration): number {
  return state.samples === 0 ? 1 : Math.min(MOST_RATIO, Math.max(LEAST_RATIO, state.mean))
}

/** Shares of the available tokens. */
const UNKNOWN_SHARE = 0.02
const LEAST_SHARE = 0.005
const MOST_SHARE = 0.15

/** Three mean distances cover nearly all samples of a normal error. */
const DISTANCES = 3

/**
 * Tokens to leave free for the usual error of an estimate: 2 % of `available` without samples, then three times the measured
 * distance, with an extra while samples are few. Between 0.5 and 15 %.
 */
export function margin(state: Calibration, available: number): number {
  if (!(available > 0)) return 0
  const measured = (DISTANCES * state.deviation) / ratio(state) + UNKNOWN_SHARE / (1 + state.samples)
  const share = state.samples === 0 ? UNKNOWN_SHARE : Math.min(MOST_SHARE, Math.max(LEAST_SHARE, measured))
  return Math.ceil(available * share)
}
