import { lintCost, type LintFinding, type LintRates } from './lint-finding.ts'

/** How a tool was used in the last 30 days. */
export interface ToolUse {
  readonly name: string
  /** Calls that offered it. */
  readonly offered: number
  /** Tokens of its definition in all of them. */
  readonly tokens: number
  /** How often a model called it. */
  readonly uses: number
}

/** Calls without a use after which something counts as unused. */
export const LEAST_UNUSED = 50

/** Tools that are offered and were never called. `tools`: those that the next call offers. */
export function unusedTools(
  uses: readonly ToolUse[],
  tools: ReadonlySet<string>,
  rates: LintRates | undefined,
): readonly LintFinding[] {
  return uses
    .filter(({ name, offered, uses: used }) => used === 0 && offered >= LEAST_UNUSED && tools.has(name))
    .map(({ name, offered, tokens }) => ({
      code: 'unused-tool',
      severity: 'warning',
      where: { tool: name },
      message: `The tool ${name} was offered in ${offered} calls of the last 30 days and never called.`,
      cost: { ...lintCost('sent', tokens / offered, rates), monthTokens: tokens },
      hint: `Stop offering it with \`foreword tools deny ${name}\`, if nobody needs it.`,
    }))
}
