import { existsSync, renameSync, rmSync } from 'node:fs'
import { copySqliteFile, openSqlite } from '../../platform.ts'
import { anyMember } from '../budget-ledger.ts'
import { storeFile } from '../store-error.ts'
import { openBudgetLedger } from './budget-ledger.ts'

/** The ledger of budgets in the data folder of a home. */
export const budgetLedgerFile = 'budgets.sqlite'

/** Writes a consistent copy of a ledger, while other processes hold calls in it. Throws a `StoreError`. */
export function copyBudgetLedger(path: string, target: string): void {
  copySqliteFile(path, target, storeFile)
}

/**
 * Puts what was spent in a home into the ledger that takes its place, such as one from an archive: money that was spent stays spent.
 * An account that both have is the one of the home; what only the archive knows is added. `from` stays as it is. Throws a
 * `StoreError`.
 */
export function carryBudgetLedger(from: string, into: string): void {
  if (!existsSync(from)) return
  const carried = `${into}.carried`
  rmSync(carried, { force: true })
  copyBudgetLedger(from, carried)
  endHolds(carried)
  if (existsSync(into)) addAccounts(carried, into)
  for (const end of ['-wal', '-shm']) rmSync(`${into}${end}`, { force: true })
  renameSync(carried, into)
}

/** Calls that were running when the copy was made count as spent. */
function endHolds(path: string): void {
  const ledger = openBudgetLedger(path)
  ledger.recover('')
  ledger.recover('', anyMember)
  ledger.close()
}

function addAccounts(path: string, other: string): void {
  endHolds(other)
  const database = openSqlite({ path, kind: storeFile })
  try {
    database.run('attach database ? as other', other)
    database.transaction(() => {
      database.execute(`
        create temp table added as
          select account from other.accounts where account not in (select account from main.accounts);
        insert into main.accounts select * from other.accounts where account in (select account from added);
        insert or ignore into main.counted select * from other.counted where account in (select account from added);
        insert or ignore into main.warnings select * from other.warnings where account in (select account from added);
        insert or ignore into main.grants select * from other.grants;
        drop table added;`)
    })
    database.run('detach database other')
  } finally {
    database.close()
  }
}
