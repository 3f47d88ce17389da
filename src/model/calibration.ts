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

/** Kinds of text that tokenizers count in different ways. `dense`: scripts without spaces between words. */
export type TextKind = 'prose' | 'code' | 'json' | 'dense'

export type KindTokens = Readonly<Partial<Record<TextKind, number>>>

/** Characters of a text that its kind is told from. */
const SAMPLE = 2000

export function textKind(text: string): TextKind {
  const sample = text.slice(0, SAMPLE)
  const share = (pattern: RegExp) => (sample.match(pattern)?.length ?? 0) / Math.max(1, sample.length)
  if (share(DENSE) > 0.3) return 'dense'
  if (share(QUOTES) > 0.05 && share(BRACKETS) > 0.01) return 'json'
  return share(SYMBOLS) > 0.05 ? 'code' : 'prose'
}

const DENSE = /[\u0e00-\u0e7f\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af]/g
const QUOTES = /"/g
const BRACKETS = /[{}[\]]/g
const SYMBOLS = /[{}()[\];=<>]/g

/**
 * How far a counter is off for each kind of text and for what a template adds to a message, and how far estimates are off after
 * that. Plain JSON.
 */
export interface KindCalibration {
  readonly samples: number
  /** Reported ÷ counted tokens. */
  readonly factors: KindTokens
  /** Tokens of a message that the counter does not know: its template's marks. Below 0 where it counts too many. */
  readonly perMessage: number
  /** How sure the factors and `perMessage` are: their covariance, in the order of `ORDER`. */
  readonly covariance: readonly (readonly number[])[]
  /** Half the width of the interval, as a share of what is estimated. */
  readonly width: number
}

/** What is estimated of a prompt. */
export interface KindEstimate {
  /** By our counter. */
  readonly counted: KindTokens
  /** How many messages it is in. */
  readonly messages: number
}

/** What was estimated of a prompt, and what its provider reported of it. */
export interface KindSample extends KindEstimate {
  /** What of the report is not in `counted`, tokens: `undefined` where that is an estimate, too. */
  readonly known: number | undefined
  /** The whole prompt: as expected, and as reported. */
  readonly expected: number
  readonly reported: number
}

const ORDER = ['prose', 'code', 'json', 'dense', 'message'] as const

/** How far factors are usually from the ratio of all calls, and how many tokens a template adds to a message. */
const FIRST_FACTOR = 0.25
const FIRST_FRAME = 12

/** Nothing learned yet. */
export const UNKNOWN_KINDS: KindCalibration = {
  samples: 0,
  factors: {},
  perMessage: 0,
  covariance: ORDER.map((row, at) =>
    ORDER.map((_, column) => (at === column ? (row === 'message' ? FIRST_FRAME : FIRST_FACTOR) ** 2 : 0)),
  ),
  width: 0.3,
}

const LEAST_FACTOR = 0.4
const MOST_FACTOR = 3
const LEAST_FRAME = -4
const MOST_FRAME = 60

/** The expected tokens of texts; `overall` is used for kinds of which nothing is known. */
export function kindTokens(
  { factors, perMessage }: Pick<KindCalibration, 'factors' | 'perMessage'>,
  { counted, messages }: KindEstimate,
  overall: number,
): number {
  const texts = parts(counted).reduce((sum, [kind, tokens]) => sum + tokens * (factors[kind] ?? overall), 0)
  return Math.max(0, messages, texts + messages * perMessage)
}

/** Half the width of the interval of an estimate, tokens. */
export function kindDistance({ width }: Pick<KindCalibration, 'width'>, estimate: KindEstimate): number {
  return sizeOf(estimate) * width
}

/** What an error is a share of: a message of one word can be off by more than that word. */
function sizeOf({ counted, messages }: KindEstimate): number {
  return parts(counted).reduce((sum, [, tokens]) => sum + tokens, messages * FIRST_FRAME)
}

/** Between a report and what was expected, as factors. Beyond that it is of something else. */
const MOST_OFF = 3

/**
 * The state after one more call. A Kalman filter divides the error among the kinds and the messages by how unsure each is. The
 * width follows the share of reports that lie outside, so that nine in ten are inside whatever the errors are.
 */
export function observeKinds(state: KindCalibration, sample: KindSample, overall: number): KindCalibration {
  const { known, expected, reported } = sample
  const size = sizeOf(sample)
  if (!(size > 0) || !(expected > 0) || !(reported > expected / MOST_OFF && reported < expected * MOST_OFF))
    return state
  const isOutside = Math.abs(reported - expected) > kindDistance(state, sample)
  const step = Math.max(STEP, 1 / (1 + state.samples / 20))
  const width = bounded(state.width * Math.exp(step * ((isOutside ? 1 : 0) - OUTSIDE)), LEAST_WIDTH, MOST_WIDTH)
  const learned = known === undefined ? state : corrected(state, sample, reported - known, overall)
  return { ...learned, samples: state.samples + 1, width }
}

/** The share of reports that may lie outside: a little less than a tenth, so that a tenth is not passed. */
const OUTSIDE = 0.07
/** How fast the width follows; faster while there are few samples. */
const STEP = 0.25
const LEAST_WIDTH = 0.01
const MOST_WIDTH = 1

/** How exact a report is: a share of what is new, and tokens. */
const NOISE = 0.04
const NOISE_TOKENS = 6
/** How far factors and templates may move from call to call. */
const DRIFT_FACTOR = 0.005
const DRIFT_FRAME = 0.2
/** Errors beyond this many standard deviations are held to be of something else in part. */
const MOST_SURPRISE = 3

function corrected(state: KindCalibration, sample: KindSample, reported: number, overall: number): KindCalibration {
  const { counted, messages } = sample
  const sizes = ORDER.map((part) => (part === 'message' ? messages : (counted[part] ?? 0)))
  const before = state.covariance.map((row, at) =>
    row.map(
      (value, column) => value + (at === column ? (ORDER[at] === 'message' ? DRIFT_FRAME : DRIFT_FACTOR) ** 2 : 0),
    ),
  )
  const reach = before.map((row) => row.reduce((sum, value, at) => sum + value * sizes[at]!, 0))
  const noise = (NOISE * sizeOf(sample)) ** 2 + NOISE_TOKENS ** 2
  const variance = reach.reduce((sum, value, at) => sum + value * sizes[at]!, noise)
  const most = MOST_SURPRISE * Math.sqrt(variance)
  const error = bounded(reported - kindTokens(state, sample, overall), -most, most)
  const gain = reach.map((value) => value / variance)
  const covariance = before.map((row, at) => row.map((value, column) => value - gain[at]! * reach[column]!))
  const moved = (at: number, from: number) => from + gain[at]! * error
  if (![...gain, error, ...covariance.flat()].every(Number.isFinite)) return state
  const factors = { ...state.factors }
  for (const [at, part] of ORDER.entries()) {
    const isKnown = part !== 'message' && (sizes[at]! > 0 || factors[part] !== undefined)
    if (isKnown) factors[part] = bounded(moved(at, factors[part] ?? overall), LEAST_FACTOR, MOST_FACTOR)
  }
  const perMessage = bounded(moved(ORDER.length - 1, state.perMessage), LEAST_FRAME, MOST_FRAME)
  return { ...state, factors, perMessage, covariance }
}

function parts(counted: KindTokens): readonly (readonly [TextKind, number])[] {
  return Object.entries(counted) as [TextKind, number][]
}

function bounded(value: number, least: number, most: number): number {
  return Math.min(most, Math.max(least, value))
}
