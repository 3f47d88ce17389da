import type { BudgetLedger } from '../budget-ledger.ts'
import { ledgerWork } from '../tables/budget-ledger.ts'
import type { StoreQueue } from '../tables/create-store.ts'
import { get, run, type Sql, statement } from '../tables/sql.ts'

const COUNT = 'bigint not null default 0'
const TABLES = [
  `budget_accounts (account TEXT primary key, spent_nanos ${COUNT}, held_nanos ${COUNT}, added_nanos ${COUNT},
    spent_tokens ${COUNT}, held_tokens ${COUNT}, added_tokens ${COUNT}, earlier_nanos ${COUNT}, earlier_tokens ${COUNT})`,
  `budget_holds (id TEXT primary key, time TEXT not null, nanos bigint not null, tokens bigint not null,
    accounts TEXT not null, open bigint not null)`,
  'budget_grants (approval TEXT primary key, hold TEXT not null)',
  'budget_warnings (account TEXT, unit TEXT, level bigint, primary key (account, unit, level))',
  'budget_counted (account TEXT, call TEXT, time TEXT not null, primary key (account, call))',
].map((table) => statement<object>(`create table if not exists ${table.replaceAll('TEXT', 'text collate "C"')}`))

const findTables = statement<object, { found: number }>(
  `select 1 as found from pg_tables where schemaname = current_schema() and tablename = 'budget_counted'`,
)

/** Who writes beside the gateway has the audit for itself from the beginning of each transaction. So it comes before or after this one. */
const alone = statement<object>('lock table audit in row exclusive mode')

const makesAlone = statement<object>('lock table audit in share row exclusive mode')

/** Several processes write to accounts that people share. It is the last lock that any of them takes. */
export const oneAfterAnother = statement<object>('lock table budget_accounts in share row exclusive mode')

/**
 * The ledger of budgets in the database of a store, in tables that are made with the first budget. What it writes goes through the
 * queue of the store: each transaction is fenced, so that a gateway that was frozen or cut off holds nothing any more.
 */
export function openBudgetTable(
  queue: Pick<StoreQueue, 'push'>,
  read: <Result>(work: Sql<Result>) => Promise<Result>,
  /** What keeps others from the accounts that are written. */
  lock = alone,
): BudgetLedger {
  const work = ledgerWork('budget_')
  let isThere = false

  async function hasTables(): Promise<boolean> {
    isThere ||= (await read(get(findTables, {}))) !== undefined
    return isThere
  }

  async function write<Result>(sql: () => Sql<Result>): Promise<Result> {
    if (!(await hasTables())) {
      await queue.push(makeBudgetTables)
      isThere = true
    }
    return queue.push(function* () {
      yield* run(lock, {})
      return yield* sql()
    })
  }

  return {
    hold: (hold) => write(() => work.hold(hold)),
    settle: (id, cost) => write(() => work.settle(id, cost)),
    count: (account, calls, earlier) => write(() => work.count(account, calls, earlier)),
    release: (id) => write(() => work.release(id)),
    recover: async (forgetBefore, member) =>
      (await hasTables()) ? write(() => work.recover(forgetBefore, member)) : [],
    state: async (check) =>
      (await hasTables()) ? read(work.state(check)) : { spent: 0, held: 0, earlier: 0, limit: check.limit },
    close() {},
  }
}

/** Makes the tables of a ledger where they are missing. Two that make them at once come one after the other. */
export function* makeBudgetTables(): Sql<void> {
  yield* run(makesAlone, {})
  for (const table of TABLES) yield* run(table, {})
}
