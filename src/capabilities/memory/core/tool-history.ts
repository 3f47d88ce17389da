import type { TokenCounter } from '../../../context.ts'
import type { RankedPassage, Recall } from '../../../search.ts'
import { rememberedLine, shownTime } from './remembered-line.ts'

/** BEHAVIOURS §2.1. */
const MOST_CALLS = 5

export interface ToolHistoryQuestion {
  /** The new message. */
  readonly text: string
  /** Sessions whose calls may be shown. */
  readonly sessions: readonly string[]
  /** The turn that asks. */
  readonly turn?: string | undefined
  readonly maxTokens: number
  readonly counter: TokenCounter
}

/** The newest calls of tools that the words of a message find, newest first, one in a line, and the sessions they are from. */
export async function toolHistory(
  recall: Pick<Recall, 'find'>,
  { text, sessions, turn, maxTokens, counter }: ToolHistoryQuestion,
): Promise<{ readonly text: string; readonly sessions: readonly string[] }> {
  if (text.trim() === '') return { text: '', sessions: [] }
  const { passages, found } = await recall.find({
    text,
    sessions,
    kinds: ['call'],
    ...(turn === undefined ? {} : { exceptTurns: [turn] }),
    limit: MOST_CALLS,
    order: 'newest',
  })
  const shown: RankedPassage[] = []
  let lines = ''
  for (const passage of found === 'words' ? passages : []) {
    const more = [...(lines === '' ? [] : [lines]), lineOf(passage)].join('\n')
    if (counter.text(more) > maxTokens) break
    lines = more
    shown.push(passage)
  }
  return { text: lines, sessions: [...new Set(shown.map(({ session }) => session))] }
}

function lineOf({ time, call, text }: RankedPassage): string {
  if (!call) return `- [${shownTime(time)}] ${rememberedLine(text, 300)}`
  const outcome = call.ok === false ? 'failed' : 'ok'
  const input = rememberedLine(call.input, 160)
  return `- [${shownTime(time)}] ${rememberedLine(call.name, 64)} ${input}: ${outcome}: ${rememberedLine(call.outcome, 200)}`
}
