import { cappedText } from '../tool.ts'
import type { CompletionInput, Runtime } from './contract.ts'
import { RuntimeError } from './runtime-error.ts'

/** Material that a model is asked to put into fewer words. */
export interface Material {
  /** What it is, such as `notes about "tide"`. */
  readonly what: string
  readonly text: string
  /** SHA-256 of the text, lowercase hexadecimal. */
  readonly sha256: string
  /** What to keep, and how to write. */
  readonly rules: string
}

export interface AskingForWords {
  readonly complete: Runtime['complete']
  /** `provider/model`; the configured one where absent. */
  readonly model?: string | undefined
  readonly signal: AbortSignal
  /** Of the answer, characters. */
  readonly most: number
  /** Sessions whose words the material holds. */
  readonly holds?: readonly string[]
}

/**
 * A model's words for the material, and which model that was. Rejects with `no-answer` where it said nothing whole.
 */
export async function askedWords(
  material: Material,
  { complete, model, signal, most, holds }: AskingForWords,
): Promise<{ readonly text: string; readonly model: string }> {
  let text = ''
  let answering = model ?? ''
  let reason = 'other'
  for await (const event of complete({
    ...wordsQuestion(material),
    signal,
    ...(model === undefined ? {} : { model }),
    ...(holds ? { holds } : {}),
  })) {
    if (event.type === 'call-start') answering = event.model
    // A model that does not come to an end is heard out, but not kept.
    else if (event.type === 'text-delta' && text.length <= most * 2) text += event.text
    else if (event.type === 'finish') reason = event.reason
  }
  const said = text.trim()
  if (said === '' || (reason !== 'stop' && reason !== 'length')) {
    throw new RuntimeError('no-answer', `${answering} did not put the ${material.what} into words.`)
  }
  return { text: cappedText(said, most), model: answering }
}

/**
 * The material is between two lines that nobody who wrote it could know, so that nothing in it can pretend to be outside.
 */
function wordsQuestion({
  what,
  text,
  sha256,
  rules,
}: Material): Pick<CompletionInput, 'messages' | 'toolChoice' | 'maxOutputTokens'> {
  const mark = `notes ${sha256.slice(0, 16)}`
  const question = [
    `Put the ${what} into fewer words. They are everything between the two lines that say "${mark}".`,
    `=== ${mark} begin ===`,
    text,
    `=== ${mark} end ===`,
  ]
  return {
    messages: [
      { role: 'system', content: rules },
      { role: 'user', content: question.join('\n') },
    ],
    toolChoice: 'none',
    maxOutputTokens: MOST_TOKENS,
  }
}

/** Some models think before they write. */
const MOST_TOKENS = 4_000
