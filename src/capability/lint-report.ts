import type { LintFinding, LintRates } from '../context.ts'

/** What breaks caches or wastes room in the prompts of a home. */
export interface LintReport {
  readonly calls: number
  /** The model whose price counts: the one that answers next. */
  readonly model?: string
  /** Warnings first, the dearest first. */
  readonly findings: readonly LintFinding[]
  /** Why the texts of the next call were not looked at. */
  readonly unread?: string
  /** Absent where the price of the model is not known. */
  readonly rates?: LintRates
  readonly tools: Readonly<Record<string, LintedTool>>
}

/** How a tool was used in the calls that were looked at. */
export interface LintedTool {
  readonly offered: number
  /** Texts in the inputs that models called it with, each once. */
  readonly inputs: readonly string[]
}
