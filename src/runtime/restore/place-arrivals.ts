import { existsSync } from 'node:fs'
import { dirname, join, relative } from 'node:path'
import { budgetLedgerFile, carryBudgetLedger, StoreError } from '../../session.ts'
import { recordRestore } from '../audit/restore-audit.ts'
import { homeAt } from '../home/home.ts'
import { peopleHomesIn } from '../tokens/people.ts'
import { pinPolicy } from './arriving-policy.ts'
import { arrivingHome, putInPlace } from './pending-restore.ts'

interface Arrivals extends Omit<Parameters<typeof recordRestore>[0], 'arriving'> {
  /** A key signed them that the owner trusts. */
  readonly isTrusted: boolean
}

/**
 * Puts what arrived in the place of a home. The restore is on record in the audit, what was spent since stays spent, and what the policy
 * of an archive that is not trusted lets through beyond what was accepted waits. Returns the folder with the former content, if any.
 */
export async function placeArrivals({ isTrusted, ...restore }: Arrivals): Promise<string | undefined> {
  const { home, clock, time } = restore
  const arriving = arrivingHome(home)
  if (!isTrusted) await pinPolicy({ home, arriving, clock }, time)
  await recordRestore({ ...restore, arriving })
  const homes = [home, ...(await peopleHomesIn(home))]
  for (const each of homes) carrySpent(each, join(arriving, relative(home, each)))
  return putInPlace(home, time)
}

/** What was spent since the archive was made stays spent. A ledger that cannot be read is put aside, and the log fills the other. */
function carrySpent(home: string, arriving: string): void {
  const [from, into] = [home, arriving].map((each) => join(homeAt(each).data, budgetLedgerFile))
  try {
    if (existsSync(dirname(into!))) carryBudgetLedger(from!, into!)
  } catch (error) {
    if (!(error instanceof StoreError)) throw error
  }
}
