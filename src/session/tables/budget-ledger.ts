import {
  type BudgetAmount,
  type BudgetCheck,
  type BudgetGrant,
  type BudgetHold,
  type BudgetState,
  type CountedCall,
  type HoldResult,
  type PassedBudget,
  memberHold,
} from '../budget-ledger.ts'
import { StoreError } from '../store-error.ts'
import { all, forEach, get, insertRows, type Query, run, type Sql, statement } from './sql.ts'

/** What the names of the tables begin with: nothing in a file of their own, and this in a database that has other tables, too. */
export type LedgerPrefix = '' | 'budget_'

const PARTS = ['spent', 'held', 'added', 'earlier'] as const
type Part = (typeof PARTS)[number]
/** What an account has, in both units. */
export const accountColumns = PARTS.flatMap((part) => [`${part}_nanos`, `${part}_tokens`])

interface AccountRow {
  readonly account: string
  readonly spent_nanos: number
  readonly held_nanos: number
  readonly added_nanos: number
  readonly spent_tokens: number
  readonly held_tokens: number
  readonly added_tokens: number
  readonly earlier_nanos: number
  readonly earlier_tokens: number
}

interface HoldRow extends BudgetAmount {
  readonly accounts: string
  readonly open: number
}

/** Rows of one statement. */
const ROWS_AT_ONCE = 50

/** The work of a ledger of budgets on its tables: each function for one transaction, beside which no other process writes to them. */
export function ledgerWork(prefix: LedgerPrefix) {
  const accountsTable = `${prefix}accounts`
  const holdsTable = `${prefix}holds`
  const grantsTable = `${prefix}grants`
  const warningsTable = `${prefix}warnings`
  const countedTable = `${prefix}counted`
  const columns = ['account', ...accountColumns].join(', ')

  const readAccounts = (accounts: number): Query<AccountRow> => ({
    sql: `select ${columns} from ${accountsTable} where account in (${list('?', accounts)})`,
  })
  const readAccount = statement<{ account: string }, AccountRow>(
    `select ${columns} from ${accountsTable} where account = :account`,
  )
  const addTo = (accounts: number): Query<never> => ({
    sql: `${insertRows(accountsTable, ['account', ...accountColumns], accounts)}
      on conflict (account) do update set ${accountColumns.map((name) => `${name} = ${accountsTable}.${name} + excluded.${name}`).join(', ')}`,
  })
  const insertHold = statement<{ id: string; time: string; nanos: number; tokens: number; accounts: string }>(
    `insert into ${holdsTable} (id, time, nanos, tokens, accounts, open) values (:id, :time, :nanos, :tokens, :accounts, 1)`,
  )
  const readHold = statement<{ id: string }, HoldRow>(
    `select nanos, tokens, accounts, open from ${holdsTable} where id = :id`,
  )
  const closeHold = statement<{ id: string }>(`update ${holdsTable} set open = 0 where id = :id`)
  const forgetHold = statement<{ id: string }>(`delete from ${holdsTable} where id = :id`)
  const forgetHolds = statement<{ before: string }>(`delete from ${holdsTable} where open = 0 and time < :before`)
  const openHolds = statement<{ of: string }, { id: string }>(
    `select id from ${holdsTable} where open = 1 and id like :of order by id`,
  )
  const insertGrant = statement<{ approval: string; hold: string }>(
    `insert into ${grantsTable} (approval, hold) values (:approval, :hold) on conflict (approval) do nothing`,
  )
  const forgetGrant = statement<{ hold: string }>(`delete from ${grantsTable} where hold = :hold`)
  const insertWarning = statement<{ account: string; unit: string; level: number }>(
    `insert into ${warningsTable} (account, unit, level) values (:account, :unit, :level) on conflict (account, unit, level) do nothing`,
  )
  const insertCounted = (calls: number): Query<{ readonly account: string; readonly call: string }> => ({
    sql: `${insertRows(countedTable, ['account', 'call', 'time'], calls)}
      on conflict (account, call) do nothing returning account, call`,
  })
  const forgetCounted = statement<{ before: string }>(
    `delete from ${countedTable} where time < :before and account not like '["session"%'`,
  )

  function* add(accounts: readonly string[], amounts: Partial<Record<Part, BudgetAmount>>): Sql<void> {
    if (accounts.length === 0) return
    const values = PARTS.flatMap((part) => [amounts[part]?.nanos ?? 0, amounts[part]?.tokens ?? 0])
    yield* run(
      addTo(accounts.length),
      accounts.flatMap((account) => [account, ...values]),
    )
  }

  /** A grant counts once: a turn that is resumed finds the decision in its log again. */
  function* useGrant(grant: BudgetGrant | undefined, hold: string): Sql<BudgetGrant | undefined> {
    if (!grant) return undefined
    return (yield* run(insertGrant, { approval: grant.approval, hold })) === 1 ? grant : undefined
  }

  /** Raises limits as far as they are below what a person allowed. */
  function* raise(checks: readonly BudgetCheck[], { raises }: BudgetGrant, rows: Rows): Sql<void> {
    for (const { account, unit, to } of raises) {
      const limits = checks.filter((check) => check.account === account && check.unit === unit)
      const lacking = Math.max(0, ...limits.map((check) => to - stateIn(rows.get(account), check).limit))
      if (limits.length === 0 || lacking === 0) continue
      yield* add([account], { added: { nanos: 0, tokens: 0, [unit]: lacking } })
      rows.set(account, (yield* get(readAccount, { account }))!)
    }
  }

  function* warnings(checks: readonly BudgetCheck[], most: BudgetAmount, rows: Rows): Sql<readonly PassedBudget[]> {
    const warned: PassedBudget[] = []
    for (const check of checks) {
      const before = stateIn(rows.get(check.account), check)
      const now = { ...before, held: before.held + most[check.unit] }
      if (now.spent + now.held < check.warnAt * now.limit) continue
      const { account, unit } = check
      if ((yield* run(insertWarning, { account, unit, level: now.limit })) === 1) warned.push({ ...check, ...now })
    }
    return warned
  }

  /** Ends what a hold keeps, and counts `cost` as spent. A hold that was ended as an estimate is corrected. */
  function* end(id: string, cost: BudgetAmount | undefined, forgets: boolean): Sql<void> {
    const row = yield* get(readHold, { id })
    if (!row) return
    const spent = cost ?? row
    const before = row.open === 1 ? NOTHING : row
    yield* add(JSON.parse(row.accounts) as string[], {
      spent: { nanos: spent.nanos - before.nanos, tokens: spent.tokens - before.tokens },
      ...(row.open === 1 && { held: { nanos: -row.nanos, tokens: -row.tokens } }),
    })
    yield* run(forgets ? forgetHold : closeHold, { id })
  }

  return {
    *hold({ id, call, time, most, checks, grant }: BudgetHold): Sql<HoldResult> {
      assertWhole(most)
      const accounts = [...new Set(checks.map(({ account }) => account))]
      const found = accounts.length === 0 ? [] : yield* all(readAccounts(accounts.length), accounts)
      const rows: Rows = new Map(found.map((row) => [row.account, row]))
      const used = yield* useGrant(grant, id)
      if (used && !used.once) yield* raise(checks, used, rows)
      const passed = checks.flatMap((check) => {
        const now = stateIn(rows.get(check.account), check)
        return most[check.unit] > now.limit - now.spent - now.held ? [{ ...check, ...now }] : []
      })
      if (passed.length > 0 && !used?.once) return { passed, warned: [] }
      yield* run(insertHold, { id, time, ...most, accounts: JSON.stringify(accounts) })
      yield* add(accounts, { held: most })
      if (accounts.length > 0)
        yield* all(
          insertCounted(accounts.length),
          accounts.flatMap((account) => [account, call, time]),
        )
      return { passed: [], warned: yield* warnings(checks, most, rows) }
    },
    *settle(id: string, cost?: BudgetAmount): Sql<void> {
      if (cost) assertWhole(cost)
      yield* end(id, cost, cost !== undefined)
    },
    *release(id: string): Sql<void> {
      yield* end(id, NOTHING, true)
      yield* run(forgetGrant, { hold: id })
    },
    *count(account: string, calls: readonly CountedCall[], earlier: boolean): Sql<void> {
      for (const { cost } of calls) assertWhole(cost)
      const costs = new Map(calls.map(({ call, cost }) => [call, cost]))
      const sum = { nanos: 0, tokens: 0 }
      for (let at = 0; at < calls.length; at += ROWS_AT_ONCE) {
        const part = calls.slice(at, at + ROWS_AT_ONCE)
        const values = part.flatMap(({ call, time }) => [account, call, time])
        for (const { call } of yield* all(insertCounted(part.length), values)) {
          sum.nanos += costs.get(call)!.nanos
          sum.tokens += costs.get(call)!.tokens
        }
      }
      if (sum.nanos > 0 || sum.tokens > 0)
        yield* add([account], earlier ? { spent: sum, earlier: sum } : { spent: sum })
    },
    *recover(forgetBefore: string, member?: string): Sql<readonly string[]> {
      const found = yield* all(openHolds, { of: member === undefined ? '%' : memberHold(member, '%') })
      const open = found.filter(({ id }) => member !== undefined || !id.includes(memberHold('', '')))
      yield* forEach(open, ({ id }) => end(id, undefined, false))
      yield* run(forgetHolds, { before: forgetBefore })
      // Those of a session count for as long as there is one.
      yield* run(forgetCounted, { before: forgetBefore })
      return open.map(({ id }) => id)
    },
    *state(check: Pick<BudgetCheck, 'account' | 'unit' | 'limit'>): Sql<BudgetState> {
      return stateIn(yield* get(readAccount, { account: check.account }), check)
    },
  }
}

type Rows = Map<string, AccountRow>

const NOTHING: BudgetAmount = { nanos: 0, tokens: 0 }

const list = (each: string, times: number): string => Array.from({ length: times }, () => each).join(', ')

function stateIn(row: AccountRow | undefined, { unit, limit }: Pick<BudgetCheck, 'unit' | 'limit'>): BudgetState {
  if (!row) return { spent: 0, held: 0, earlier: 0, limit }
  const [spent, held, earlier] = [row[`spent_${unit}`], row[`held_${unit}`], row[`earlier_${unit}`]]
  return { spent, held, earlier, limit: limit + row[`added_${unit}`] }
}

/** A sum of anything else would not be exact. */
function assertWhole({ nanos, tokens }: BudgetAmount): void {
  if (Number.isSafeInteger(nanos) && Number.isSafeInteger(tokens) && nanos >= 0 && tokens >= 0) return
  throw new StoreError('invalid', `an amount of a budget is no whole number: ${nanos} nano-dollars, ${tokens} tokens`)
}
