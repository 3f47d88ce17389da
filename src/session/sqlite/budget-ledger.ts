import { openSqlite } from '../../platform.ts'
import type {
  BudgetAmount,
  BudgetCheck,
  BudgetGrant,
  BudgetHold,
  BudgetLedger,
  BudgetState,
  HoldResult,
  PassedBudget,
} from '../budget-ledger.ts'
import { StoreError, storeFile } from '../store-error.ts'

/** `counted`: which call counts in which account, by its hold or by the log. */
const SCHEMA = `
  create table accounts (
    account text primary key,
    spent_nanos integer not null default 0, held_nanos integer not null default 0, added_nanos integer not null default 0,
    spent_tokens integer not null default 0, held_tokens integer not null default 0, added_tokens integer not null default 0,
    earlier_nanos integer not null default 0, earlier_tokens integer not null default 0
  ) strict, without rowid;
  create table holds (
    id text primary key, time text not null, nanos integer not null, tokens integer not null,
    accounts text not null, open integer not null
  ) strict, without rowid;
  create table grants (approval text primary key, hold text not null) strict, without rowid;
  create table warnings (account text, unit text, level integer, primary key (account, unit, level))
    strict, without rowid;
  create table counted (account text, call text, time text not null, primary key (account, call)) strict, without rowid;
  pragma user_version = 1;`

interface AccountRow {
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

/** Opens the ledger in an SQLite file, which is created where it is missing. Throws a `StoreError`. */
export function openBudgetLedger(path: string, options: { readonly durable?: boolean } = {}): BudgetLedger {
  const database = openSqlite({ path, kind: storeFile, ...options })
  const version = () => database.get<{ user_version: number }>('pragma user_version')!.user_version
  // In a transaction, since another process may open it at the same moment.
  if (version() === 0) database.transaction(() => version() === 0 && database.execute(SCHEMA))
  if (version() !== 1) {
    database.close()
    throw new StoreError(
      'newer',
      `the ledger of budgets ${path} was written by another version: use that version of Foreword, or move the file away, and what was spent is read from the log`,
    )
  }

  const rowOf = (account: string) => database.get<AccountRow>('select * from accounts where account = ?', account)

  function state({ account, unit, limit }: Pick<BudgetCheck, 'account' | 'unit' | 'limit'>): BudgetState {
    const row = rowOf(account)
    if (!row) return { spent: 0, held: 0, earlier: 0, limit }
    const [spent, held, earlier] = [row[`spent_${unit}`], row[`held_${unit}`], row[`earlier_${unit}`]]
    return { spent, held, earlier, limit: limit + row[`added_${unit}`] }
  }

  function add(account: string, spent: BudgetAmount, held: BudgetAmount): void {
    database.run(
      `insert into accounts (account, spent_nanos, spent_tokens, held_nanos, held_tokens) values (?, ?, ?, ?, ?)
       on conflict (account) do update set spent_nanos = spent_nanos + excluded.spent_nanos,
         spent_tokens = spent_tokens + excluded.spent_tokens, held_nanos = held_nanos + excluded.held_nanos,
         held_tokens = held_tokens + excluded.held_tokens`,
      account,
      spent.nanos,
      spent.tokens,
      held.nanos,
      held.tokens,
    )
  }

  /** Whether the call did not count in the account before. */
  function name(account: string, call: string, time: string): boolean {
    const sql = 'insert or ignore into counted (account, call, time) values (?, ?, ?)'
    return database.change(sql, account, call, time) === 1
  }

  /** A grant counts once: a turn that is resumed finds the decision in its log again. */
  function useGrant(grant: BudgetGrant | undefined, hold: string): BudgetGrant | undefined {
    if (!grant) return undefined
    const used = database.change('insert or ignore into grants (approval, hold) values (?, ?)', grant.approval, hold)
    return used === 1 ? grant : undefined
  }

  function raise(checks: readonly BudgetCheck[], { raises }: BudgetGrant): void {
    for (const { account, unit, to } of raises) {
      const limits = checks.filter((check) => check.account === account && check.unit === unit)
      const lacking = Math.max(0, ...limits.map((check) => to - state(check).limit))
      if (limits.length === 0 || lacking === 0) continue
      add(account, NOTHING, NOTHING)
      database.run(`update accounts set added_${unit} = added_${unit} + ? where account = ?`, lacking, account)
    }
  }

  function warnings(checks: readonly BudgetCheck[]): readonly PassedBudget[] {
    return checks.flatMap((check) => {
      const now = state(check)
      if (now.spent + now.held < check.warnAt * now.limit) return []
      const sql = 'insert or ignore into warnings (account, unit, level) values (?, ?, ?)'
      return database.change(sql, check.account, check.unit, now.limit) === 1 ? [{ ...check, ...now }] : []
    })
  }

  /** Ends what a hold keeps, and counts `cost` as spent. A hold that was ended as an estimate is corrected. */
  function end(id: string, cost: BudgetAmount | undefined, forgets: boolean): void {
    const row = database.get<HoldRow>('select nanos, tokens, accounts, open from holds where id = ?', id)
    if (!row) return
    const spent = cost ?? row
    const before = row.open === 1 ? NOTHING : row
    const held = row.open === 1 ? { nanos: -row.nanos, tokens: -row.tokens } : NOTHING
    for (const account of JSON.parse(row.accounts) as string[])
      add(account, { nanos: spent.nanos - before.nanos, tokens: spent.tokens - before.tokens }, held)
    if (forgets) database.run('delete from holds where id = ?', id)
    else database.run('update holds set open = 0 where id = ?', id)
  }

  return {
    hold: ({ id, call, time, most, checks, grant }: BudgetHold): HoldResult =>
      database.transaction(() => {
        assertWhole(most)
        const used = useGrant(grant, id)
        if (used && !used.once) raise(checks, used)
        const passed = checks.flatMap((check) => {
          const now = state(check)
          return most[check.unit] > now.limit - now.spent - now.held ? [{ ...check, ...now }] : []
        })
        if (passed.length > 0 && !used?.once) return { passed, warned: [] }
        const accounts = [...new Set(checks.map(({ account }) => account))]
        database.run(
          'insert into holds (id, time, nanos, tokens, accounts, open) values (?, ?, ?, ?, ?, 1)',
          id,
          time,
          most.nanos,
          most.tokens,
          JSON.stringify(accounts),
        )
        for (const account of accounts) {
          add(account, NOTHING, most)
          name(account, call, time)
        }
        return { passed: [], warned: warnings(checks) }
      }),
    settle(id, cost) {
      if (cost) assertWhole(cost)
      database.transaction(() => end(id, cost, cost !== undefined))
    },
    count(account, calls, earlier) {
      for (const { cost } of calls) assertWhole(cost)
      database.transaction(() => {
        for (const { call, time, cost } of calls) {
          if (!name(account, call, time)) continue
          add(account, cost, NOTHING)
          const sql =
            'update accounts set earlier_nanos = earlier_nanos + ?, earlier_tokens = earlier_tokens + ? where account = ?'
          if (earlier) database.run(sql, cost.nanos, cost.tokens, account)
        }
      })
    },
    release(id) {
      database.transaction(() => {
        end(id, NOTHING, true)
        database.run('delete from grants where hold = ?', id)
      })
    },
    recover: (forgetBefore) =>
      database.transaction(() => {
        const open = database.all<{ readonly id: string }>('select id from holds where open = 1')
        for (const { id } of open) end(id, undefined, false)
        database.run('delete from holds where open = 0 and time < ?', forgetBefore)
        // Those of a session count for as long as there is one.
        database.run(`delete from counted where time < ? and account not like '["session"%'`, forgetBefore)
        return open.map(({ id }) => id)
      }),
    state,
    close: () => database.close(),
  }
}

const NOTHING: BudgetAmount = { nanos: 0, tokens: 0 }

/** A sum of anything else would not be exact. */
function assertWhole({ nanos, tokens }: BudgetAmount): void {
  if (Number.isSafeInteger(nanos) && Number.isSafeInteger(tokens) && nanos >= 0 && tokens >= 0) return
  throw new StoreError('invalid', `an amount of a budget is no whole number: ${nanos} nano-dollars, ${tokens} tokens`)
}
