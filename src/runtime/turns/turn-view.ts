import type { TurnTotals, TurnView } from '../../capability.ts'
import { messageText } from '../../context.ts'
import { defined } from '../../platform.ts'
import type { Entry, LogStore, CitationSource, TurnOutcome, Usage, AnswerLimit } from '../../session.ts'
import { turnNotFound } from '../sessions/not-found.ts'

/** A turn for an endpoint or a command, read from the log. */
export async function readTurnView(store: LogStore, session: string, turn: string): Promise<TurnView> {
  const entries = await store.entries(session, { turn })
  if (entries.length === 0) throw turnNotFound(session, turn)
  const calls = entries.flatMap((entry) => (entry.type === 'assembly' ? [entry.call] : []))
  const end = entries.find((entry) => entry.type === 'turn-end')
  const outcome = end?.type === 'turn-end' ? end.outcome : undefined
  const citations = citedSources(entries)
  const notice = outcome && outcomeNotice(outcome)
  return {
    session,
    turn,
    outcome,
    ...defined({ notice }),
    text: answerText(entries),
    calls,
    ...(citations.length > 0 ? { citations } : {}),
    warnings: entries.flatMap((entry) => (entry.type === 'usage' && entry.warning ? [entry.warning] : [])),
    totals: turnTotals(
      calls.length,
      entries.flatMap((entry) => (entry.type === 'usage' ? [entry.usage] : [])),
    ),
  }
}

function answerText(entries: readonly Entry[]): string {
  const last = entries.findLast((entry) => entry.type === 'message' && entry.message.role === 'assistant')
  return last?.type === 'message' ? messageText(last.message) : ''
}

/** What the answers of a turn cite, each number once, in their order. */
export function citedSources(entries: readonly Entry[]): readonly CitationSource[] {
  const cited = new Map<number, CitationSource>()
  for (const entry of entries) {
    if (entry.type !== 'message') continue
    for (const source of entry.citations ?? []) if (!cited.has(source.citation)) cited.set(source.citation, source)
  }
  return [...cited.values()].toSorted((one, other) => one.citation - other.citation)
}

export function turnTotals(calls: number, usages: readonly Usage[]): TurnTotals {
  return {
    calls,
    promptTokensBilled: sumOrUnknown(usages.map((usage) => usage.promptTokens)),
    cachedTokensBilled: sumOrUnknown(usages.map((usage) => usage.cachedTokens)),
    outputTokensBilled: sumOrUnknown(usages.map((usage) => usage.outputTokens)),
  }
}

/** Unknown where one of the numbers is: a sum with a hole in it is no sum. */
function sumOrUnknown(numbers: readonly (number | undefined)[]): number | undefined {
  let total = 0
  for (const number of numbers) {
    if (number === undefined || number === null) return undefined
    total += number
  }
  return numbers.length > 0 ? total : undefined
}

/** Whether a person got an answer, if perhaps not all of it. */
export function isAnswered({ type }: TurnOutcome): boolean {
  return type === 'completed' || type === 'length' || type === 'other'
}

/** How a turn ended and what can be done, in a sentence or two for a person. `undefined` where it ended well. */
export function outcomeNotice(outcome: TurnOutcome): string | undefined {
  switch (outcome.type) {
    case 'completed':
      return undefined
    case 'length':
      return `The answer was cut ${CUT[outcome.limit] ?? CUT.tokens} Say \`go on\` for the rest.`
    case 'empty':
      return `There is no answer: the model said nothing${limitClause(outcome.limit)}.${outcomeHint(outcome.limit, 'Ask again, or choose another model.')}`
    case 'reasoning-only':
      return `There is no answer: the model reasoned and said nothing${limitClause(outcome.limit)}.${outcomeHint(outcome.limit, 'Ask again, or lower agent.reasoning.')}`
    case 'content-filter':
      return 'The content rules of the model or its provider stopped the answer. Rephrase the question, or choose another model.'
    case 'other':
      return 'The answer may be incomplete: the provider did not name the reason for its end. Say `go on` if something is missing.'
    case 'cancelled':
      return 'Stopped before the end.'
    case 'failed':
      return outcome.message
  }
}

const CUT: Readonly<Record<AnswerLimit, string>> = {
  tokens: 'at its length limit (context.reserve).',
  characters: 'because it did not end: it was many times longer than its length limit (context.reserve).',
  event: 'because the provider sent one piece that is too large to read.',
  time: 'because it took longer than agent.maxAnswerMs allows.',
}

function limitClause(limit: AnswerLimit | undefined): string {
  return limit === undefined ? '' : ` before ${BEFORE[limit]}`
}

const BEFORE: Readonly<Record<AnswerLimit, string>> = {
  tokens: 'its length limit was reached',
  characters: 'it was stopped for being endless',
  event: 'the provider sent one piece that is too large to read',
  time: 'its time was up',
}

function outcomeHint(limit: AnswerLimit | undefined, usual: string): string {
  if (limit === 'tokens') return ' Raise context.reserve, or lower agent.reasoning.'
  if (limit === 'time') return ' Raise agent.maxAnswerMs, or choose a quicker model.'
  return ` ${usual}`
}
