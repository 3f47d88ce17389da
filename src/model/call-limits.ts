import type { LanguageModelV4StreamPart } from '@ai-sdk/provider'
import { type Clock, withTimeout } from '../platform.ts'
import type { AnswerLimits } from './model.ts'

type Part = LanguageModelV4StreamPart

/**
 * Text, reasoning and the input of calls count by their characters, every other part as one, so that any endless answer
 * comes to an end.
 */
export function answerBounds({ characters }: AnswerLimits) {
  let left = characters
  const streamedInputs = new Set<string>()

  return {
    /** Returns the part, cut to the remaining size, and whether the answer must end with it. */
    add(part: Part) {
      if (part.type === 'text-delta' || part.type === 'reasoning-delta') {
        const delta = part.delta.length <= left ? part.delta : withoutHalfPair(part.delta.slice(0, Math.max(0, left)))
        left -= Math.max(1, part.delta.length)
        return { part: { ...part, delta }, full: left < 0 }
      }
      if (part.type === 'tool-input-delta') {
        streamedInputs.add(part.id)
        left -= Math.max(1, part.delta.length)
      } else if (part.type === 'tool-call' && !streamedInputs.has(part.toolCallId)) {
        left -= Math.max(1, part.input.length)
      } else {
        left -= 1
      }
      return { part: left < 0 ? undefined : part, full: left < 0 }
    },
  }
}

/** The text without half a surrogate pair at its end. */
function withoutHalfPair(text: string): string {
  const last = text.charCodeAt(text.length - 1)
  return last >= 0xd800 && last <= 0xdbff ? text.slice(0, -1) : text
}

/** More characters than a token of any model has on average. */
const CHARACTERS_PER_TOKEN = 8

/** The least bound: it protects memory, while a small reserve is only a request. */
const LEAST_CHARACTERS = 4_000

/** How long one answer may take unless configured, ms. Long enough for slow machines. */
const DEFAULT_ANSWER_MS = 30 * 60_000

/**
 * Bounds for one answer with `reserve` tokens. They are wide: they stop models and servers that do not end.
 */
export function answerLimits(reserve: number, milliseconds = DEFAULT_ANSWER_MS): AnswerLimits {
  return { characters: Math.max(LEAST_CHARACTERS, reserve * CHARACTERS_PER_TOKEN), milliseconds }
}

/** Timeouts of a call, ms. */
export interface Timeouts {
  /** From the request to the first piece of an answer: connecting, loading the model, reading the prompt. */
  readonly firstMs: number
  /** Between one piece of the answer and the next. */
  readonly idleMs: number
}

export const DEFAULT_TIMEOUTS: Timeouts = { firstMs: 120_000, idleMs: 60_000 }

/** Thrown by `withCallTimeout` at the timeout; `modelErrorOf` turns it into a `ModelError`. */
export class TimeoutExceeded extends Error {
  override readonly name = 'TimeoutExceeded'
  readonly milliseconds: number

  constructor(milliseconds: number) {
    super(`no answer for ${milliseconds} ms`)
    this.milliseconds = milliseconds
  }
}

/** Waits for a promise until the timeout or until the signal is aborted. */
export function withCallTimeout<T>(
  clock: Clock,
  work: PromiseLike<T>,
  milliseconds: number,
  signal: AbortSignal,
): Promise<T> {
  return withTimeout(clock, work, milliseconds, { signal, error: () => new TimeoutExceeded(milliseconds) })
}
