import type { ApprovalQuestion, BudgetAmount, BudgetGrant, BudgetQuestion, PassedBudget } from '../../session.ts'
import { amountText, isOfGroup, type NamedCheck } from './call-budgets.ts'

/** A budget that a call could pass, as the question about the call keeps it: whole numbers, and what it would be raised to. */
interface AskedBudget {
  readonly name: string
  readonly account: string
  readonly unit: keyof BudgetAmount
  readonly limit: number
  readonly left: number
  readonly raiseTo: number
}

interface HeldInput {
  readonly model: string
  readonly most: BudgetAmount
  /** Why money cannot be counted; absent where it can. */
  readonly unpriced?: true
  readonly budgets: readonly AskedBudget[]
}

/** A question about a call to a model, exactly what a person decides about. */
interface HeldQuestion extends BudgetQuestion {
  readonly request: ApprovalQuestion
  readonly rule: string
}

/** What a person is asked about a call that could pass budgets. */
export function heldQuestion(
  { model, most, isUnpriced }: { readonly model: string; readonly most: BudgetAmount; readonly isUnpriced: boolean },
  passed: readonly (PassedBudget & Pick<NamedCheck, 'name'>)[],
): HeldQuestion {
  const budgets = passed.map((budget): AskedBudget => {
    const { name, account, unit, limit } = budget
    return { name, account, unit, limit, left: leftOf(budget), raiseTo: raisedLimit(budget, most[unit]) }
  })
  const input: HeldInput = { model, most, ...(isUnpriced ? { unpriced: true as const } : {}), budgets }
  const sentence = isUnpriced
    ? unpricedSentence(input)
    : budgets.map((budget) => passedSentence(most, budget)).join(' ')
  const raises = budgets.map(({ name, unit, raiseTo }) => `${name} to ${amountText(unit, raiseTo)}`)
  const raise = isUnpriced
    ? 'Allows this call.'
    : `Raises the limit of ${raises.join(', and of ')}, until the period ends.`
  return { request: { tool: 'model', input, facts: { held: sentence, raise } }, rule: 'budgets', sentence, raise }
}

/** What an approval of such a question allows. Nothing where it is no such question. */
export function grantOf(approval: string, once: boolean, { input }: ApprovalQuestion): BudgetGrant {
  const { budgets = [], unpriced } = input as Partial<HeldInput>
  const raises = budgets.map(({ account, unit, raiseTo }) => ({ account, unit, to: raiseTo }))
  return { approval, once: once || unpriced === true, raises }
}

function passedSentence(most: BudgetAmount, { name, account, unit, limit, left }: AskedBudget): string {
  const may = `This call may ${unit === 'tokens' ? 'need' : 'cost'} ${amountText(unit, most[unit])}`
  if (isOfGroup(account)) return `${may}; less than that is left of ${amountText(unit, limit)} for ${name}.`
  const rest = left > 0 ? amountText(unit, left) : 'nothing'
  return `${may}; ${rest} ${left > 0 ? 'are' : 'is'} left of ${amountText(unit, limit)} for ${name}.`
}

function unpricedSentence({ model, budgets }: HeldInput): string {
  const limits = budgets.map(({ name, unit, limit }) => `${amountText(unit, limit)} for ${name}`)
  return (
    `The price of ${model} is not known, so it cannot be said whether this call passes the limit of ${limits.join(', or of ')}. ` +
    `Set models."${model}".price to have it counted.`
  )
}

function leftOf({ limit, spent, held }: Pick<PassedBudget, 'limit' | 'spent' | 'held'>): number {
  return limit - spent - held
}

/** The limit after as many more of its own size as the call needs. */
function raisedLimit(budget: PassedBudget, most: number): number {
  const lacking = Math.max(0, most - leftOf(budget))
  if (budget.limit <= 0) return budget.limit + lacking
  return budget.limit + Math.ceil(lacking / budget.limit) * budget.limit
}
