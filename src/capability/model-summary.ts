import { defined } from '../platform.ts'
import { truncateText } from '../tool.ts'
import type { CompletionInput } from './runtime/completions.ts'
import type { Runtime } from './runtime/runtime.ts'
import { RuntimeError } from './runtime-error.ts'

/** A text that a model is asked to put into fewer words. */
interface SummaryTask {
  /** What it is, such as `notes about "tide"`. */
  readonly what: string
  readonly text: string
  /** SHA-256 of the text, lowercase hexadecimal. */
  readonly sha256: string
  /** What to keep, and how to write. */
  readonly rules: string
}

interface SummaryOptions {
  readonly complete: Runtime['complete']
  /** `provider/model`; the configured one where absent. */
  readonly model?: string | undefined
  readonly signal: AbortSignal
  /** The most of the answer, characters. */
  readonly most: number
  /** Ids of sessions whose words the text contains: what is recorded of the call is removed with them. */
  readonly holds?: readonly string[]
}

/**
 * Has a model put a text into fewer words, and names that model (`provider/model`). Rejects with `no-answer` where its answer
 * was empty or broke off, and with whatever the call failed with.
 */
export async function summaryByModel(
  task: SummaryTask,
  { complete, model, signal, most, holds }: SummaryOptions,
): Promise<{ readonly text: string; readonly model: string }> {
  let text = ''
  let answering = model ?? ''
  let reason = 'other'
  for await (const event of complete({
    ...summaryInput(task),
    signal,
    ...defined({ model, holds }),
  })) {
    if (event.type === 'call-start') answering = event.model
    // Of an answer that does not end, no more is kept than is used.
    else if (event.type === 'text-delta' && text.length <= most * 2) text += event.text
    else if (event.type === 'finish') reason = event.reason
  }
  const said = text.trim()
  if (said === '' || (reason !== 'stop' && reason !== 'length')) {
    throw new RuntimeError('no-answer', `${answering} did not put the ${task.what} into words.`)
  }
  return { text: truncateText(said, most), model: answering }
}

/** The text is between two lines that depend on all of it, so that nothing in it can appear to be outside. */
function summaryInput({
  what,
  text,
  sha256,
  rules,
}: SummaryTask): Pick<CompletionInput, 'messages' | 'toolChoice' | 'maxOutputTokens'> {
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
