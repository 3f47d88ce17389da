import type { LanguageModelV4CallOptions } from '@ai-sdk/provider'
import { wholeCharacter } from '../context.ts'
import { LONG_TEXT, textChunks } from '../platform.ts'

/** Characters. A longer text of a call is not given to the SDK, which makes the JSON of the whole call in one step. */
const LONGEST_IN_CALL = 8 * LONG_TEXT

/** Characters at either end that the SDK gets all the same: some providers are sent texts without whitespace at the end. */
const ENDS = 1_000

/** A call with marks for what is in the middle of its long texts. */
export interface HeldTexts {
  readonly call: LanguageModelV4CallOptions
  /** In each mark. No text has it by chance. */
  readonly id: string
  readonly middles: readonly string[]
}

/** `undefined`: no text is so long. */
export function holdLongTexts(call: LanguageModelV4CallOptions, id: string): HeldTexts | undefined {
  const middles: string[] = []
  const held = (text: string): string => {
    if (text.length <= LONGEST_IN_CALL) return text
    const [from, to] = [wholeCharacter(text, ENDS), wholeCharacter(text, text.length - ENDS)]
    if (text.slice(0, from).trim() === '' || text.slice(to).trim() === '') return text
    middles.push(text.slice(from, to))
    return `${text.slice(0, from)}~"${id} ${middles.length - 1}"~${text.slice(to)}`
  }
  const prompt = call.prompt.map((message) => {
    if (message.role === 'system') return { ...message, content: held(message.content) }
    return { ...message, content: message.content.map((part) => partWithMarks(part, held)) } as typeof message
  })
  return middles.length === 0 ? undefined : { call: { ...call, prompt }, id, middles }
}

type Part = Exclude<LanguageModelV4CallOptions['prompt'][number]['content'], string>[number]

function partWithMarks(part: Part, held: (text: string) => string): Part {
  if (part.type === 'text') return { ...part, text: held(part.text) }
  if (part.type !== 'tool-result') return part
  const { output } = part
  if (output.type === 'text' || output.type === 'error-text') {
    return { ...part, output: { ...output, value: held(output.value) } }
  }
  if (output.type !== 'content') return part
  const value = output.value.map((each) => (each.type === 'text' ? { ...each, text: held(each.text) } : each))
  return { ...part, output: { ...output, value } }
}

/**
 * The parts of a body with the texts in place of their marks; `undefined` where they cannot be put there. A mark has quotes, so that
 * the signs before them say how often its text was written as JSON: a result may be JSON within the JSON of the body.
 */
export function heldParts(body: string, { id, middles }: HeldTexts): Iterable<string> | undefined {
  const marks = Array.from(
    body.matchAll(new RegExp(`~(\\\\+)"${id} (\\d+)(\\\\+)"~`, 'g')),
    ([mark, before, index, after]) => ({
      mark,
      index: Number(index),
      times: before === after ? Math.log2(before!.length + 1) : NaN,
    }),
  )
  const isWhole =
    body.split(id).length === middles.length + 1 &&
    marks.length === middles.length &&
    new Set(marks.map(({ index }) => index)).size === middles.length &&
    marks.every(({ times }) => Number.isInteger(times))
  if (!isWhole) return undefined
  return (function* () {
    let rest = body
    for (const { mark, index, times } of marks) {
      const at = rest.indexOf(mark)
      yield* textChunks(rest.slice(0, at), LONG_TEXT)
      for (const chunk of textChunks(middles[index]!, LONG_TEXT)) yield escaped(chunk, times)
      rest = rest.slice(at + mark.length)
    }
    yield* textChunks(rest, LONG_TEXT)
  })()
}

function escaped(text: string, times: number): string {
  return times === 0 ? text : escaped(JSON.stringify(text).slice(1, -1), times - 1)
}
