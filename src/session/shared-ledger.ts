import { existsSync } from 'node:fs'
import type { Clock } from '../platform.ts'
import type { BudgetLedger } from './budget-ledger.ts'
import type { LedgerPlace } from './copy-budgets.ts'
import { openBudgetLedger } from './sqlite/budget-ledger.ts'

/** Opens the ledger of a home for accounts that others share, beside those that use it, with the first hold. */
export function openSharedLedger(where: () => LedgerPlace | Promise<LedgerPlace>, clock: Clock): BudgetLedger {
  let opening: Promise<BudgetLedger> | undefined

  async function open(): Promise<BudgetLedger> {
    const at = await where()
    if ('file' in at) return openBudgetLedger(at.file)
    const { openSharedTable } = await import('./postgres/shared-ledger.ts')
    return openSharedTable(at, clock)
  }

  const ledger = () => (opening ??= open())

  /** A file that nobody has used is not made to look into it. */
  async function isThere(): Promise<boolean> {
    const at = await where()
    return !('file' in at) || existsSync(at.file)
  }

  return {
    hold: async (hold) => (await ledger()).hold(hold),
    settle: async (id, cost) => (await ledger()).settle(id, cost),
    count: async (account, calls, earlier) => (await ledger()).count(account, calls, earlier),
    release: async (id) => (await ledger()).release(id),
    recover: async (forgetBefore, member) => ((await isThere()) ? (await ledger()).recover(forgetBefore, member) : []),
    state: async (check) => (await ledger()).state(check),
    close: () => void opening?.then((each) => each.close()).catch(() => {}),
  }
}
