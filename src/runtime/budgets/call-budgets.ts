import type { BudgetAmount, BudgetCheck, BudgetLimit, BudgetPeriod, InputBudget } from '../../session.ts'
import { defined } from '../../platform.ts'
import { NANOS_PER_DOLLAR } from './call-bound.ts'
import { exactMoneyText, numberText } from '../../context.ts'

/** A limit of the configuration, for all calls or for those of one agent, token or channel. */
export interface MoneyBudget {
  readonly limit: BudgetLimit
  readonly per: BudgetPeriod
  readonly agent?: string
  readonly token?: string
  readonly channel?: string
  /** For calls of all members of this group together; it is kept beside the ledgers of their homes. */
  readonly group?: string
  readonly warnAt?: number
}

/** Whose call it is. A call outside every session has no session, and its own id for a turn. */
export interface CallOwner {
  readonly turn: string
  readonly session?: string | undefined
  readonly agent?: string | undefined
  readonly token?: string | undefined
  readonly channel?: string | undefined
}

/** A budget that applies to a call, with its name for people. */
export interface NamedCheck extends BudgetCheck {
  readonly name: string
}

export const USUAL_WARNING = 0.8

/** The budgets that a call has to fit into: those of the configuration that are about it, and those of its input. */
export function checksFor(owner: CallOwner, { configured, ofInput = [], day }: CheckSources): readonly NamedCheck[] {
  const own = configured
    .filter((budget) =>
      (['agent', 'token', 'channel'] as const).every((key) => budget[key] === undefined || budget[key] === owner[key]),
    )
    .flatMap((budget) => checkOf(budget, owner, day) ?? [])
  const input = ofInput.flatMap(({ limit, per = 'turn', owner: whose }) => {
    const budget = { limit, per: whose === undefined ? ('turn' as const) : per, ...defined({ whose }) }
    return checkOf(budget, owner, day) ?? []
  })
  return [...own, ...input]
}

interface CheckSources {
  readonly configured: readonly MoneyBudget[]
  readonly ofInput?: readonly InputBudget[] | undefined
  readonly day: string
}

/** The account of a budget in its present period, whatever its limit. `undefined` where there is nothing to count by. */
export function checkOf(
  budget: MoneyBudget & { readonly whose?: string },
  { turn, session }: Partial<CallOwner>,
  day: string,
): NamedCheck | undefined {
  const { limit, per, agent, token, channel, group, whose, warnAt = USUAL_WARNING } = budget
  const period = { turn, session, day, month: day.slice(0, 7) }[per]
  if (period === undefined) return undefined
  const account = JSON.stringify([per, period, defined({ agent, token, channel, group, whose })])
  return { account, ...limitIn(limit), warnAt, name: budgetName(budget) }
}

export interface AccountName extends Pick<MoneyBudget, 'agent' | 'token' | 'channel' | 'group'> {
  readonly per: BudgetPeriod
  readonly period: string
  readonly whose?: string
}

/** Whether an account is one that the members of a group share. */
export const isOfGroup = (account: string): boolean => parseAccount(account).group !== undefined

/** Reads the name that `checkOf` gave. */
export function parseAccount(account: string): AccountName {
  const [per, period, names] = JSON.parse(account) as [BudgetPeriod, string, Omit<AccountName, 'per' | 'period'>]
  return { ...names, per, period }
}

/** What a budget counts, for people: `the day`, `the month of agent ada`. */
export function budgetName({
  per,
  agent,
  token,
  channel,
  group,
  whose,
}: MoneyBudget & { readonly whose?: string }): string {
  const parts = [
    agent === undefined ? '' : `agent ${agent}`,
    token === undefined ? '' : `token ${token}`,
    channel === undefined ? '' : `channel ${channel}`,
    group === undefined ? '' : `group ${group}`,
    whose ?? '',
  ].filter((part) => part !== '')
  return parts.length === 0 ? `the ${per}` : `the ${per} of ${parts.join(', ')}`
}

function limitIn(limit: BudgetLimit): Pick<BudgetCheck, 'unit' | 'limit'> {
  if ('tokens' in limit) return { unit: 'tokens', limit: limit.tokens }
  // In decimals, since 0.29 dollars times a thousand million is not a whole number.
  return { unit: 'nanos', limit: Number(limit.usd.toFixed(9).replace('.', '')) }
}

/** An amount for people: dollars or tokens. */
export function amountText(unit: keyof BudgetAmount, amount: number): string {
  if (unit === 'tokens') return `${numberText(amount)} tokens`
  return exactMoneyText(amount / NANOS_PER_DOLLAR)
}
