import { openSqlite } from '../../platform.ts'
import type { BudgetAmount, BudgetLedger } from '../budget-ledger.ts'
import { StoreError, storeFile } from '../store-error.ts'
import { ledgerWork } from '../tables/budget-ledger.ts'
import type { Sql } from '../tables/sql.ts'
import { runSql } from './connection.ts'

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

/** Opens the ledger in an SQLite file, which is created where it is missing. Everything is done at once. Throws a `StoreError`. */
export function openBudgetLedger(path: string, options: { readonly durable?: boolean } = {}) {
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
  const work = ledgerWork('')
  const write = <Result>(sql: Sql<Result>): Result => database.transaction(() => runSql(database, sql))
  return {
    hold: (hold) => write(work.hold(hold)),
    settle: (id: string, cost?: BudgetAmount) => write(work.settle(id, cost)),
    count: (account, calls, earlier) => write(work.count(account, calls, earlier)),
    release: (id) => write(work.release(id)),
    recover: (forgetBefore: string, member?: string) => write(work.recover(forgetBefore, member)),
    state: (check) => runSql(database, work.state(check)),
    close: () => database.close(),
  } satisfies BudgetLedger
}
