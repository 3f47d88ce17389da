import { exactMoneyText } from '../../capability.ts'
import { type LintCost, type LintFinding, numberText, phrase } from '../../context.ts'

/** Where a finding is, for people: file and line, else the text and its line, else the layer or the tool. */
export function lintPlaceText({ file, line, ref, layer, tool }: LintFinding['where']): string {
  const text = file ?? (tool === undefined ? ref : undefined)
  if (text !== undefined) return line === undefined ? text : `${text}:${line}`
  return tool === undefined ? phrase`layer ${layer ?? ''}` : phrase`tool ${tool}`
}

/** `1,200 tokens per hundred calls ($0.0036)`, and what the tokens are. */
export function lintCostText({ kind, tokens, money, atMost, monthTokens }: LintCost): string {
  const dollars = money === undefined ? '' : ` (${exactMoneyText(money)})`
  const size = numberText(tokens)
  const what =
    kind === 'sent'
      ? phrase`${size} tokens per hundred calls sent for nothing`
      : phrase`${size} tokens per hundred calls that a cache cannot give`
  const month = monthTokens === undefined ? '' : `; ${phrase`${numberText(monthTokens)} in the last 30 days`}`
  const whole = `${what}${dollars}${month}`
  return atMost ? phrase`at most, if it changes at every call: ${whole}` : whole
}
