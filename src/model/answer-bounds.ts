import type { LanguageModelV4StreamPart } from '@ai-sdk/provider'
import type { AnswerLimits } from './model.ts'

type Part = LanguageModelV4StreamPart

/** Measures one answer as it comes. */
export interface AnswerBounds {
  /** The part as far as there is room for it, and whether the answer has to end with it. */
  take(part: Part): { readonly part: Part | undefined; readonly full: boolean }
}

/**
 * Text, reasoning and the input of calls count by their characters, every other part as one: so whatever a provider never
 * stops saying comes to an end.
 */
export function answerBounds({ characters }: AnswerLimits): AnswerBounds {
  let left = characters
  const streamedInputs = new Set<string>()

  return {
    take(part) {
      if (part.type === 'text-delta' || part.type === 'reasoning-delta') {
        const delta = part.delta.length <= left ? part.delta : wholeCharacters(part.delta.slice(0, Math.max(0, left)))
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

/** Without half a character at the end. */
function wholeCharacters(text: string): string {
  const last = text.charCodeAt(text.length - 1)
  return last >= 0xd800 && last <= 0xdbff ? text.slice(0, -1) : text
}

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
