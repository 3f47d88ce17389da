import type { LanguageModelV4StreamPart } from '@ai-sdk/provider'
import { TEXT_THINKING } from '../context.ts'

/** Marks that servers leave in the text where they do not read the thinking of their model themselves. */
const MARKS = [
  ['<think>', '</think>'],
  ['<thinking>', '</thinking>'],
  ['◁think▷', '◁/think▷'],
] as const

type Part = LanguageModelV4StreamPart

/**
 * Makes reasoning of the thinking with which the text of an answer begins, between marks such as `<think>`. A mark
 * anywhere else is text. Such reasoning is labelled (`TEXT_THINKING`), since it is not sent again. Holds back the beginning
 * of a text that may be a mark, and within the thinking what may be its end.
 */
export function thinkingFilter(): (part: Part) => readonly Part[] {
  let state: 'beginning' | 'thinking' | 'before-text' | 'text' = 'beginning'
  let held = ''
  let start: readonly Part[] = []
  let endMark = ''

  /** The parts that are certain. `isLast`: no more text follows. */
  function read(id: string, isLast: boolean): readonly Part[] {
    if (state === 'beginning') {
      const begun = held.trimStart()
      const mark = MARKS.find(([open]) => begun.startsWith(open))
      if (!mark && !isLast && MARKS.some(([open]) => open.startsWith(begun))) return []
      state = mark ? 'thinking' : 'text'
      if (mark) [held, endMark] = [begun.slice(mark[0].length), mark[1]]
    }
    const thinking = state === 'thinking' ? readThinking(id, isLast) : []
    if (state === 'thinking') return thinking
    // Blank lines between the thinking and the answer belong to neither.
    if (state === 'before-text') held = held.trimStart()
    if (held === '') return thinking
    const parts = [...thinking, ...start, { type: 'text-delta', id, delta: held } as const]
    state = 'text'
    start = []
    held = ''
    return parts
  }

  function readThinking(id: string, isLast: boolean): readonly Part[] {
    const end = held.indexOf(endMark)
    const certain = end === -1 ? held.length - (isLast ? 0 : overlap(held, endMark)) : end
    const delta = held.slice(0, certain)
    held = held.slice(end === -1 ? certain : end + endMark.length)
    if (end !== -1) state = 'before-text'
    const thinkingId = `thinking-${id}`
    return [
      ...(delta === ''
        ? []
        : [{ type: 'reasoning-delta', id: thinkingId, delta, providerMetadata: TEXT_THINKING } as const]),
      ...(end === -1 && !isLast ? [] : [{ type: 'reasoning-end', id: thinkingId } as const]),
    ]
  }

  return (part) => {
    if (state === 'text') return [part]
    if (part.type === 'text-start') {
      start = [part]
      return []
    }
    if (part.type === 'text-delta') {
      held += part.delta
      return read(part.id, false)
    }
    if (part.type === 'text-end' || part.type === 'finish' || part.type === 'tool-call') {
      const parts = held === '' ? [] : read('id' in part ? part.id : 'text', true)
      return [...parts, part]
    }
    return [part]
  }
}

/** How many characters at the end of a text are the beginning of a mark. */
function overlap(text: string, mark: string): number {
  for (let length = Math.min(text.length, mark.length - 1); length > 0; length -= 1) {
    if (text.endsWith(mark.slice(0, length))) return length
  }
  return 0
}
