import { existsSync } from 'node:fs'
import { openSqlite } from '../platform.ts'
import type { StoredTable } from './tables/stored-tables.ts'
import { readRows, type StoredRow, writeRows } from './copy/table-rows.ts'
import type { PostgresAddress } from './postgres/client.ts'
import { openBudgetLedger } from './sqlite/budget-ledger.ts'
import { runSql } from './sqlite/connection.ts'
import { storeFile } from './store-error.ts'
import { accountColumns, type LedgerPrefix } from './tables/budget-ledger.ts'
import { run, type Sql } from './tables/sql.ts'

/** Where a ledger of budgets is: a file, or the database of a store. */
export type LedgerPlace = { readonly file: string } | PostgresAddress

/**
 * Copies what was spent of budgets, with what is held, to where the store of the home goes, in the place of what was there. Where
 * there is no ledger, nothing is changed. No gateway may use either. Throws a `StoreError`.
 */
export async function copyBudgets(from: LedgerPlace, to: LedgerPlace): Promise<void> {
  if ('file' in from && !existsSync(from.file)) return
  const rows = await inLedger(from, readLedger)
  if (rows.some((each) => each.length > 0)) await inLedger(to, (prefix) => writeLedger(prefix, rows))
}

/** Runs work in one transaction, with the tables made where they are missing. */
async function inLedger<Result>(place: LedgerPlace, work: (prefix: LedgerPrefix) => Sql<Result>): Promise<Result> {
  if ('file' in place) {
    openBudgetLedger(place.file).close()
    const database = openSqlite({ path: place.file, kind: storeFile })
    try {
      return database.transaction(() => runSql(database, work('')))
    } finally {
      database.close()
    }
  }
  const { openClient } = await import('./postgres/client.ts')
  const { makeBudgetTables } = await import('./postgres/budget-table.ts')
  const client = await openClient(place)
  try {
    await client.begin('')
    await client.work(makeBudgetTables())
    const result = await client.work(work('budget_'))
    await client.commit()
    return result
  } finally {
    await client.end()
  }
}

function* readLedger(prefix: LedgerPrefix): Sql<readonly (readonly StoredRow[])[]> {
  const tables: (readonly StoredRow[])[] = []
  for (const table of named(prefix)) {
    const rows: StoredRow[] = []
    for (let page = yield* readRows(table, undefined); page.length > 0; page = yield* readRows(table, rows.at(-1)))
      rows.push(...page)
    tables.push(rows)
  }
  return tables
}

function* writeLedger(prefix: LedgerPrefix, rows: readonly (readonly StoredRow[])[]): Sql<void> {
  for (const [at, table] of named(prefix).entries()) {
    yield* run({ sql: `delete from ${table.name}` }, [])
    yield* writeRows(table, rows[at]!)
  }
}

/** Without their prefix. */
const ledgerTables: readonly StoredTable[] = [
  { name: 'accounts', key: 1, columns: ['account', ...accountColumns], long: [] },
  { name: 'holds', key: 1, columns: ['id', 'time', 'nanos', 'tokens', 'accounts', 'open'], long: [] },
  { name: 'grants', key: 1, columns: ['approval', 'hold'], long: [] },
  { name: 'warnings', key: 3, columns: ['account', 'unit', 'level'], long: [] },
  { name: 'counted', key: 2, columns: ['account', 'call', 'time'], long: [] },
]

function named(prefix: LedgerPrefix): readonly StoredTable[] {
  return ledgerTables.map((table) => ({ ...table, name: `${prefix}${table.name}` }))
}
