import type { Finding, LintReport } from '../../capability.ts'
import { errorMessage } from '../../platform.ts'
import type { LintFinding } from '../../context.ts'
import { lintCostText, lintPlaceText } from '../lint/lint-text.ts'
import { readLintReport } from '../lint/lint-report.ts'
import type { CheckedHome } from './check-context.ts'
import { ok, warning } from './finding.ts'

const NAMED = 5

/** What breaks caches or wastes room in prompts: one finding for each kind. No findings where no gateway can be asked. */
export async function checkLint(checked: CheckedHome): Promise<readonly Finding[]> {
  if (checked.connection === undefined) return []
  try {
    return lintFindings(await readLintReport(checked))
  } catch (error) {
    return [warning('lint', `not checked: ${errorMessage(error)}`, 'Fix what the message names.')]
  }
}

function lintFindings({ findings, calls, unread }: LintReport): readonly Finding[] {
  const warnings = findings.filter(({ severity }) => severity === 'warning')
  const codes = [...new Set(warnings.map(({ code }) => code))]
  const missed = unread === undefined ? [] : [warning('lint', `the texts were not read: ${unread}`, 'Fix that first.')]
  if (codes.length > 0)
    return [...codes.map((code) => codeFinding(warnings.filter((one) => one.code === code))), ...missed]
  return missed.length > 0
    ? missed
    : [ok('lint', `nothing breaks caches or wastes room in ${calls} recorded ${calls === 1 ? 'call' : 'calls'}`)]
}

function codeFinding(findings: readonly LintFinding[]): Finding {
  const [first, ...others] = findings as readonly [LintFinding, ...LintFinding[]]
  const { code, message, cost, hint, where } = first
  const all = 'See all with `foreword check --lint`.'
  if (others.length === 0) {
    return warning(
      'lint',
      `${code}: ${lintPlaceText(where)}: ${message}${cost ? ` Costs ${lintCostText(cost)}.` : ''}`,
      hint,
    )
  }
  const names = findings.slice(0, NAMED).map((one) => lintPlaceText(one.where))
  const more = findings.length > NAMED ? ` and ${findings.length - NAMED} more` : ''
  const costs = cost?.kind === 'sent' ? sumText(findings) : cost ? `the dearest costs ${lintCostText(cost)}` : ''
  return warning('lint', `${code}: ${names.join(', ')}${more}${costs === '' ? '' : `; ${costs}`}`, all)
}

function sumText(findings: readonly LintFinding[]): string {
  const costs = findings.flatMap(({ cost }) => cost ?? [])
  const sum = (of: (cost: (typeof costs)[number]) => number) => costs.reduce((all, cost) => all + of(cost), 0)
  const isPriced = costs.every(({ money }) => money !== undefined)
  const isMonthly = costs.every(({ monthTokens }) => monthTokens !== undefined)
  return `together ${lintCostText({
    kind: 'sent',
    tokens: sum(({ tokens }) => tokens),
    ...(isPriced ? { money: sum(({ money = 0 }) => money) } : {}),
    ...(isMonthly ? { monthTokens: sum(({ monthTokens = 0 }) => monthTokens) } : {}),
  })}`
}
