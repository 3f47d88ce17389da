import type { AnswerLimits } from './model.ts'

/** No token of any model is worth so many characters on average. */
const CHARACTERS_PER_TOKEN = 8

/** A small reserve is a wish; what is bounded here is memory. */
const LEAST_CHARACTERS = 4_000

/** A slow machine takes its time: so long may one answer take unless the configuration says otherwise, ms. */
const USUAL_ANSWER_MS = 30 * 60_000

/**
 * Bounds for one answer for which so many tokens are reserved. They are wide: they are for a model, or a server, that does
 * not stop.
 */
export function answerLimits(reserve: number, milliseconds = USUAL_ANSWER_MS): AnswerLimits {
  return { characters: Math.max(LEAST_CHARACTERS, reserve * CHARACTERS_PER_TOKEN), milliseconds }
}
