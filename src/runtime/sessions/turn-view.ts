import { type TurnTotals, type TurnView } from '../../capability.ts'
import { messageText } from '../../context.ts'
import { defined } from '../../platform.ts'
import type { Entry, LogStore, CitationSource, TurnOutcome, Usage } from '../../session.ts'
import { turnNotFound } from './not-found.ts'
import { outcomeNotice } from './outcome-notice.ts'

/** A turn for an endpoint or a command, read from the log. */
export async function readTurnView(store: LogStore, session: string, turn: string): Promise<TurnView> {
  const entries = await store.entries(session, { turn })
  if (entries.length === 0) throw turnNotFound(session, turn)
  const calls = entries.flatMap((entry) => (entry.type === 'assembly' ? [entry.call] : []))
  const end = entries.find((entry) => entry.type === 'turn-end')
  const outcome = end?.type === 'turn-end' ? end.outcome : undefined
  const citations = citedSources(entries)
  const last = entries.findLast((entry) => entry.type === 'message' && entry.message.role === 'assistant')
  const notice = outcome && outcomeNotice(outcome)
  return {
    session,
    turn,
    outcome,
    ...defined({ notice }),
    text: last?.type === 'message' ? messageText(last.message) : '',
    calls,
    ...(citations.length > 0 ? { citations } : {}),
    warnings: entries.flatMap((entry) => (entry.type === 'usage' && entry.warning ? [entry.warning] : [])),
    totals: turnTotals(
      calls.length,
      entries.flatMap((entry) => (entry.type === 'usage' ? [entry.usage] : [])),
    ),
  }
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

/** What the calls of a turn cost together; unknown as soon as one of them is. */
export function turnTotals(calls: number, usages: readonly Usage[]): TurnTotals {
  const { promptTokens, cachedTokens, outputTokens } = sumUsage(usages)
  return {
    calls,
    promptTokensBilled: promptTokens,
    cachedTokensBilled: cachedTokens,
    outputTokensBilled: outputTokens,
  }
}

/** The tokens of several calls; a kind that one of them does not report is unknown. */
export function sumUsage(usages: readonly Usage[]): Usage {
  const sum = (kind: keyof Usage) => sumOrUnknown(usages.map((usage) => usage[kind]))
  return {
    promptTokens: sum('promptTokens'),
    cachedTokens: sum('cachedTokens'),
    cacheWrittenTokens: sum('cacheWrittenTokens'),
    outputTokens: sum('outputTokens'),
    reasoningTokens: sum('reasoningTokens'),
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
