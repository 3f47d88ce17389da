import type { Assembly } from '../assemble.ts'
import type { TokenCounter } from '../token-counter.ts'
import { callPairs, type LintCall } from './lint-call.ts'
import type { LintFinding, LintRates } from './lint-finding.ts'
import { changingLayers, unstableOrder } from './lint-recorded.ts'
import { duplicatedTexts, lintTexts, volatileTexts } from './lint-texts.ts'
import { type ToolUse, unusedTools } from './unused-tools.ts'

export interface LintInput {
  /** What the next call of a new session would send. Absent where no request fits. */
  readonly assembly?: Pick<Assembly, 'manifest' | 'pieces'>
  readonly counter: TokenCounter
  /** Recorded calls, oldest first. */
  readonly calls: readonly LintCall[]
  readonly tools: readonly ToolUse[]
  /** Absent where the price of the model is not known. */
  readonly rates?: LintRates
}

/** What breaks caches or wastes room, warnings first, the dearest first. Pure. */
export function lint({ assembly, counter, calls, tools, rates }: LintInput): readonly LintFinding[] {
  const texts = assembly ? lintTexts(assembly) : []
  const pairs = callPairs(calls)
  const inSessions = calls.filter(({ session }) => session !== undefined)
  const mean = inSessions.reduce((sum, { used }) => sum + used, 0) / Math.max(1, inSessions.length)
  const used = Math.max(assembly?.manifest.used ?? 0, mean)
  const offered = new Set(texts.filter(({ entry }) => entry.slot === 'tools').map(({ entry }) => entry.id))
  return inOrder([
    ...volatileTexts(texts, { pairs, used, rates }),
    ...unstableOrder(pairs, rates),
    ...changingLayers(pairs, rates),
    ...unusedTools(tools, offered, rates),
    ...duplicatedTexts(texts, counter, rates),
  ])
}

/** Warnings before notes, and the dearest first. */
export function inOrder(findings: readonly LintFinding[]): readonly LintFinding[] {
  const rank = ({ severity }: LintFinding) => (severity === 'warning' ? 0 : 1)
  return findings.toSorted(
    (one, other) => rank(one) - rank(other) || (other.cost?.tokens ?? 0) - (one.cost?.tokens ?? 0),
  )
}
