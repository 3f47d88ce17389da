import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { type CallEnd, type CallHold, type BudgetApproval, OverBudgetError, type ModelCall } from '../../agent.ts'
import { type BudgetReport, type Clock, dayIn } from '../../capability.ts'
import { type Model, ModelError } from '../../model.ts'
import { type Activity, defined, errorMessage } from '../../platform.ts'
import {
  type BudgetAmount,
  type BudgetLedger,
  budgetLedgerFile,
  type BudgetState,
  type CountedCall,
  type InputBudget,
  openBudgetLedger,
  type PassedBudget,
} from '../../session.ts'
import {
  amountText,
  budgetName,
  type CallOwner,
  checkOf,
  checksFor,
  isOfGroup,
  parseAccount,
  type MoneyBudget,
  type NamedCheck,
  USUAL_WARNING,
} from './call-budgets.ts'
import { dearestCost, NANOS_PER_DOLLAR, reportedCost } from './call-bound.ts'
import { createAccountFiller, type EarlierSources } from './earlier-calls.ts'
import { grantOf, heldQuestion } from './held-question.ts'
import { type GroupAccounts, memberLedger } from './member-ledger.ts'
import { createWaitingCalls, type BudgetWait } from './waiting-calls.ts'

/** Holds what calls may cost before they leave, and says what is left. */
export type BudgetService = ReturnType<typeof createBudgetService>

type CallToHold = Pick<ModelCall, 'call' | 'options'>

export interface HoldTerms {
  readonly owner: CallOwner
  readonly budgets?: readonly InputBudget[] | undefined
  readonly model: Pick<Model, 'id' | 'facts'>
  /** What the calls of the model are estimated at: by our counter, and what its provider reports for one of those tokens. */
  size(call: CallToHold): { readonly used: number; readonly ratio: number }
  /** What a call is held at, where that is known better than the most that it can cost. */
  readonly estimate?: ((call: CallToHold) => BudgetAmount) | undefined
  /** Whether a person can be asked. Otherwise a call that could pass a budget is refused. */
  readonly asks: boolean
}

export function createBudgetService(parts: {
  /** Of the ledger, which is made with the first call that has a budget. */
  readonly folder: string
  /** As they are now, until `read` has given others. */
  readonly configured: () => readonly MoneyBudget[]
  /** The same as they are now; `undefined`: `configured` has them. Absent: they do not change. */
  readonly read?: (() => Promise<readonly MoneyBudget[] | undefined>) | undefined
  /** Whether somebody here may pass a limit. Otherwise a call that could pass one is refused, whatever it would ask. */
  readonly mayPass: boolean
  /** In the home of a person: the accounts that they share with others. Absent: those of groups are only shown here. */
  readonly groups?: GroupAccounts | undefined
  readonly timeZone: string
  readonly clock: Clock
  /** Whether calls of a former process that are still held are counted as spent. */
  readonly recovers: boolean
  /** The log. A store with a ledger of its own has it instead of the file in `folder`. */
  readonly earlier: Omit<EarlierSources, 'dayOf'>
  readonly activity: Activity
  readonly warn: (text: string) => void
}) {
  const { clock, warn, activity } = parts
  const inStore = parts.earlier.store.budgets
  const path = join(parts.folder, budgetLedgerFile)
  let inZone: ((time: string) => string) | undefined
  const dayOf = (time: string) => (inZone ??= dayIn(parts.timeZone))(time)
  let reread: readonly MoneyBudget[] | undefined
  const configured = () => reread ?? parts.configured()
  const applicable = () => configured().filter(({ group }) => group === undefined || parts.groups)
  const { groups } = parts
  let ledger: BudgetLedger | undefined
  const open = (): BudgetLedger => {
    if (ledger !== undefined) return ledger
    const own = inStore ?? openBudgetLedger(path)
    ledger = groups ? memberLedger(own, groups) : own
    return ledger
  }
  let recovered: Promise<void> | undefined
  let left: readonly string[] = []
  const waiting = createWaitingCalls(clock, (check) => open().state(check))

  const fillAccounts = createAccountFiller({ ...parts.earlier, dayOf }, open)

  /** What a former process held counts as spent before this one holds anything. Tried again where it failed. */
  function ready(): Promise<void> {
    recovered ??= recover().catch((error: unknown) => {
      recovered = undefined
      throw error
    })
    return recovered
  }

  async function recover(): Promise<void> {
    if (!parts.recovers || !(inStore || existsSync(path))) return
    left = await open().recover(new Date(Date.parse(clock.time()) - CORRECTED_MS).toISOString())
  }

  /** A process that ended between the record of a call and its settlement: the record says what all its holds have cost. */
  async function correct(): Promise<void> {
    const { store, priceOf } = parts.earlier
    const holds = Map.groupBy(left, (id) => id.slice(0, id.lastIndexOf('/')))
    for (const [id, [first = '', ...others]] of holds) {
      const call = await store.call(id)
      const cost = call && reportedCost(call.outcome?.usage, await priceOf(call.model))
      if (!cost) continue
      await open().settle(first, cost)
      for (const other of others) await open().release(other)
    }
    left = []
  }

  async function fill(): Promise<void> {
    if (configured().length > 0 || !inStore) await ready()
    await correct()
    if (configured().length === 0) return
    const day = dayOf(clock.time())
    await fillAccounts(configured().flatMap((budget) => checkOf(budget, {}, day)?.account ?? []))
  }

  async function settle(id: string, { usage, error, notMade }: CallEnd, model: HoldTerms['model']): Promise<void> {
    try {
      const cost = reportedCost(usage, model.facts.price)
      const isUnpaid = notMade || (cost === undefined && error instanceof ModelError && REFUSED.has(error.code))
      await (isUnpaid ? open().release(id) : open().settle(id, cost))
    } catch (failure) {
      // What is held stays so, and the next start counts it as spent.
      warn(`What the call ${id} cost was not counted: ${errorMessage(failure)} It counts as what it can have cost.`)
    }
    void waiting.look()
  }

  /** Calls that ended a moment ago: they may not be on record yet, where a budget that is added looks for them. */
  const ended: CallToCount[] = []

  /** A budget that is added while a call runs counts it, too. */
  function countLate(
    { owner, budgets, model: { facts } }: HoldTerms,
    { call, day, counted }: HeldCallFacts,
    { usage }: CallEnd,
  ): void {
    const cost = reportedCost(usage, facts.price)
    if (!cost) return
    const late = {
      calls: { owner, budgets, model: { facts } },
      day,
      counted,
      counts: { call, time: clock.time(), cost },
    }
    const since = new Date(Date.parse(late.counts.time) - RECORDED_MS).toISOString()
    while (ended[0] && ended[0].counts.time < since) ended.shift()
    ended.push(late)
    if (configured().length > 0 || budgets?.length) void activity.run(undefined, countEnded(late))
  }

  async function countEnded({ calls, day, counted, counts }: CallToCount): Promise<void> {
    try {
      for (const { account } of applied(calls, day).named) {
        if (!counted.has(account) && !isOfGroup(account)) await open().count(account, [counts], false)
      }
    } catch (failure) {
      warn(`What the call ${counts.call} cost was not counted: ${errorMessage(failure)} The next start counts it.`)
    }
  }

  function applied({ owner, budgets, model: { facts } }: CallToCount['calls'], day: string): AppliedChecks {
    const checks = checksFor(owner, { configured: applicable(), ofInput: budgets, day })
    const counted = facts.price || facts.free ? checks : checks.filter(({ unit }) => unit === 'tokens')
    const unpriced = checks.filter((check) => !counted.includes(check))
    // What cannot be priced passes every limit: nothing says that it does not.
    return { named: checks, unpriced, checks: [...counted, ...unpriced.map((check) => ({ ...check, limit: -1 }))] }
  }

  return {
    of(calls: HoldTerms): (call: CallToHold, granted?: BudgetApproval) => Promise<CallHold> {
      const { model, size, estimate, asks } = calls
      let made = 0
      let before: BudgetWait | undefined
      return async (call, granted) => {
        if (before) waiting.asksAgain(before)
        const day = dayOf(clock.time())
        const { named, unpriced, checks } = applied(calls, day)
        const accounts = named.map(({ account }) => account)
        const held: HeldCallFacts = { call: call.call, day, counted: new Set(accounts) }
        if (checks.length === 0) return { type: 'go', settle: (end) => countLate(calls, held, end) }
        await ready()
        await fillAccounts(accounts)
        const { facts } = model
        const maxOutputTokens = call.options?.maxOutputTokens ?? facts.maxOutput
        const most =
          estimate?.(call) ?? dearestCost({ ...size(call), window: facts.window, maxOutputTokens }, facts.price)
        made += 1
        const id = `${call.call}/${made}-${clock.newId('hold')}`
        const grant = granted && grantOf(granted.approval, granted.once, granted.request)
        const names = new Map(named.map((check) => [`${check.account} ${check.unit}`, check.name]))
        const nameOf = (budget: PassedBudget) => ({ ...budget, name: names.get(`${budget.account} ${budget.unit}`)! })
        const result = await open().hold({ id, call: call.call, time: clock.time(), most, checks, grant })
        // A limit that a person has raised may be enough for other calls, too.
        if (grant) void waiting.look()
        if (result.passed.length === 0) {
          for (const budget of result.warned)
            if (budget.limit >= 0) warn(warning(nameOf(budget), calls.owner, parts.mayPass))
          let isOver = false
          return {
            type: 'go',
            settle(end) {
              if (isOver) return
              isOver = true
              void activity.run(undefined, settle(id, end, model))
              countLate(calls, held, end)
            },
          }
        }
        const isUnpriced = unpriced.length > 0
        const passed = isUnpriced
          ? await Promise.all(unpriced.map(async (check) => ({ ...check, ...(await open().state(check)) })))
          : result.passed.map(nameOf)
        const question = heldQuestion({ model: model.id, most, isUnpriced }, passed)
        if (!asks || !parts.mayPass) return { type: 'refuse', error: new OverBudgetError(question.sentence) }
        const asked = passed.map(({ account }) => account)
        const waits: BudgetWait = { most, asked, checks: () => applied(calls, dayOf(clock.time())).checks }
        before = waits
        return { type: 'wait', ...question, room: (signal) => waiting.room(waits, signal) }
      }
    },
    /** Whether there is a budget that a call of this owner counts in; of nobody in particular: whether there is one at all. */
    appliesTo(owner?: CallOwner): boolean {
      if (!owner) return applicable().length > 0
      return checksFor(owner, { configured: applicable(), day: dayOf(clock.time()) }).length > 0
    },
    /** Counts what was spent in the present periods before a budget was there. Where that fails, the first call waits for it. */
    fill: (): Promise<void> =>
      fill().catch((error: unknown) => warn(`Earlier calls are not in the budgets yet: ${errorMessage(error)}`)),
    /** Reads the limits again. Where they cannot be read they stay as they were, and a sentence says so. */
    async reload(): Promise<readonly string[]> {
      try {
        reread = (await parts.read?.()) ?? reread
        await fill()
        for (const call of ended) await countEnded(call)
        await waiting.look()
        return []
      } catch (error) {
        const fault = `Budgets stay as they were: ${errorMessage(error)}`
        warn(fault)
        return [fault]
      }
    },
    /** The configured budgets in their present periods; those of sessions and turns without what is spent. */
    async report(): Promise<readonly BudgetReport[]> {
      const day = dayOf(clock.time())
      const state = (check: NamedCheck) =>
        ledger || inStore || existsSync(path)
          ? open().state(check)
          : { spent: 0, held: 0, earlier: 0, limit: check.limit }
      const reports = configured().map(async (budget): Promise<BudgetReport> => {
        const check = groups && budget.group !== undefined ? undefined : checkOf(budget, {}, day)
        const period = budget.per === 'day' ? day : budget.per === 'month' ? day.slice(0, 7) : undefined
        return reportOf(budget, check && (await state(check)), period)
      })
      return Promise.all(reports)
    },
    close: (): void => ledger?.close(),
  }
}

interface HeldCallFacts {
  readonly call: string
  readonly day: string
  readonly counted: ReadonlySet<string>
}

/** What a call cost that is over. */
interface CallToCount extends Pick<HeldCallFacts, 'day' | 'counted'> {
  readonly calls: Pick<HoldTerms, 'owner' | 'budgets'> & { readonly model: Pick<Model, 'facts'> }
  readonly counts: CountedCall
}

/** An ended call is on record after this time, ms. */
const RECORDED_MS = 60_000

interface AppliedChecks {
  /** With their limits as people know them. */
  readonly named: readonly NamedCheck[]
  /** Those that cannot be counted, since the price of the model is not known. */
  readonly unpriced: readonly NamedCheck[]
  readonly checks: readonly NamedCheck[]
}

/** For so long a late report corrects an estimate. */
const CORRECTED_MS = 40 * 24 * 60 * 60 * 1000

const REFUSED: ReadonlySet<string> = new Set([
  'context-overflow',
  'rate-limit',
  'quota',
  'auth',
  'model-not-found',
  'bad-request',
  'unsupported-parameter',
])

function warning(
  { account, name, unit, limit, spent, held }: PassedBudget & { readonly name: string },
  { session }: CallOwner,
  mayPass: boolean,
): string {
  const { per, period } = parseAccount(account)
  const which = per === 'turn' && session !== undefined ? `${period} of ${session}` : period
  const whose = per === 'session' || per === 'turn' ? ` (${which})` : ''
  const used = amountText(unit, spent + held)
  const most = amountText(unit, limit)
  // What all of a group have used is nothing for one of them.
  const share = isOfGroup(account) ? `Nearly all of ${most}` : `${used} of ${most}`
  const next = mayPass ? 'waits for you' : 'is refused'
  return `${share} for ${name}${whose} ${isOfGroup(account) ? 'is' : 'are'} spent or held. A call that could pass the limit ${next}.`
}

function reportOf(budget: MoneyBudget, state: BudgetState | undefined, period: string | undefined): BudgetReport {
  const { limit, per, agent, token, channel, group, warnAt = USUAL_WARNING } = budget
  const unit = 'tokens' in limit ? 'tokens' : 'usd'
  const shown = (amount: number) => (unit === 'tokens' ? amount : amount / NANOS_PER_DOLLAR)
  const about = {
    name: budgetName(budget),
    per,
    unit,
    warnAt,
    ...defined({ agent, token, channel, group, period }),
  } as const
  if (!state) return { ...about, limit: 'tokens' in limit ? limit.tokens : limit.usd }
  const { spent, held, earlier } = state
  const left = shown(state.limit - spent - held)
  return {
    ...about,
    limit: shown(state.limit),
    spent: shown(spent),
    held: shown(held),
    left,
    ...(earlier > 0 ? { earlier: shown(earlier) } : {}),
  }
}
