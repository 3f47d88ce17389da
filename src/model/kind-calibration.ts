import type { KindTokens, TextKind } from './text-kind.ts'

/** How far a counter is off for each kind of text, and how far estimates are off after that. Plain JSON. */
export interface KindCalibration {
  readonly samples: number
  /** Reported ÷ counted tokens. */
  readonly factors: KindTokens
  /** Half the width of the interval, as a share of what is estimated. */
  readonly width: number
}

/** What was estimated of a prompt, and what its provider reported of it. */
export interface KindSample {
  /** What is estimated, by our counter. */
  readonly counted: KindTokens
  /** What of the report is not in `counted`, tokens: `undefined` where that is an estimate, too. */
  readonly known: number | undefined
  /** The whole prompt: as expected, and as reported. */
  readonly expected: number
  readonly reported: number
}

/** Nothing learned yet. */
export const UNKNOWN_KINDS: KindCalibration = { samples: 0, factors: {}, width: 0.3 }

const LEAST_FACTOR = 0.4
const MOST_FACTOR = 3

/** The expected tokens of texts; `ratio` is used for kinds of which nothing is known. */
export function kindTokens({ factors }: KindCalibration, counted: KindTokens, ratio: number): number {
  return parts(counted).reduce((sum, [kind, tokens]) => sum + tokens * (factors[kind] ?? ratio), 0)
}

/** Shorter samples say more about templates than about texts, tokens. */
const SHORTEST = 30
/** Between a report and what was expected, as factors. Beyond that it is of something else. */
const MOST_OFF = 3

/**
 * The state after one more call. The error is divided among the kinds by their tokens, so that calls of one kind correct that
 * kind alone. The width follows the share of reports that lie outside, so that nine in ten are inside whatever the errors are.
 */
export function observeKinds(state: KindCalibration, sample: KindSample, ratio: number): KindCalibration {
  const { counted, known, expected, reported } = sample
  const all = parts(counted)
  const total = all.reduce((sum, [, tokens]) => sum + tokens, 0)
  if (!(total >= SHORTEST) || !(expected > 0) || !(reported > expected / MOST_OFF && reported < expected * MOST_OFF)) {
    return state
  }
  const isOutside = Math.abs(reported - expected) > total * state.width
  const step = Math.max(STEP, 1 / (1 + state.samples / 20))
  const width = bounded(state.width * Math.exp(step * ((isOutside ? 1 : 0) - OUTSIDE)), LEAST_WIDTH, MOST_WIDTH)
  const factors = known === undefined ? state.factors : corrected(state, all, reported - known, ratio)
  return { samples: state.samples + 1, factors, width }
}

/** The share of reports that may lie outside: a little less than a tenth, so that a tenth is not passed. */
const OUTSIDE = 0.07
/** How fast the width follows; faster while there are few samples. */
const STEP = 0.25
const LEAST_WIDTH = 0.01
const MOST_WIDTH = 1

/** Weight of a new sample; the first ones weigh more. */
const WEIGHT = 0.2

function corrected(
  { samples, factors }: KindCalibration,
  all: readonly (readonly [TextKind, number])[],
  reported: number,
  ratio: number,
): KindTokens {
  const expected = all.reduce((sum, [kind, tokens]) => sum + tokens * (factors[kind] ?? ratio), 0)
  const squares = all.reduce((sum, [, tokens]) => sum + tokens ** 2, 0)
  const weight = Math.max(WEIGHT, 1 / (1 + samples / 4))
  const after = { ...factors }
  for (const [kind, tokens] of all) {
    const moved = (factors[kind] ?? ratio) + (weight * (reported - expected) * tokens) / squares
    if (Number.isFinite(moved)) after[kind] = bounded(moved, LEAST_FACTOR, MOST_FACTOR)
  }
  return after
}

function parts(counted: KindTokens): readonly (readonly [TextKind, number])[] {
  return Object.entries(counted) as [TextKind, number][]
}

function bounded(value: number, least: number, most: number): number {
  return Math.min(most, Math.max(least, value))
}
