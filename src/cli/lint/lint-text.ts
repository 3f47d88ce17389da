import { exactMoneyText } from '../../capability.ts'
import { type LintCost, type LintFinding, numberText } from '../../context.ts'

/** Where a finding is, for people: file and line, else the text and its line, else the layer or the tool. */
export function lintPlaceText({ file, line, ref, layer, tool }: LintFinding['where']): string {
  const text = file ?? (tool === undefined ? ref : undefined)
  if (text !== undefined) return line === undefined ? text : `${text}:${line}`
  return tool === undefined ? `layer ${layer ?? ''}` : `tool ${tool}`
}

/** `1,200 tokens per hundred calls ($0.0036)`, and what the tokens are. */
export function lintCostText({ kind, tokens, money, atMost, monthTokens }: LintCost): string {
  const dollars = money === undefined ? '' : ` (${exactMoneyText(money)})`
  const what = kind === 'sent' ? 'sent for nothing' : 'that a cache cannot give'
  const most = atMost ? 'at most, if it changes at every call: ' : ''
  const month = monthTokens === undefined ? '' : `; ${numberText(monthTokens)} in the last 30 days`
  return `${most}${numberText(tokens)} tokens per hundred calls ${what}${dollars}${month}`
}
