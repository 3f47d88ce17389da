import { type BudgetLedger, memberHold } from '../../session.ts'
import { isOfGroup } from './call-budgets.ts'

/** Where the accounts of groups are, and as whom a home uses them. */
export interface GroupAccounts {
  /** One for all homes of the people of a gateway, and for all gateways on a database. */
  readonly ledger: BudgetLedger
  /** The name of the person. */
  readonly member: string
}

/**
 * The ledger of a home whose person shares accounts with others. A call is held in that of the home first, and then in that of the groups:
 * a process that lost the home is refused there, and holds nothing in an account of others. What one of them refuses, none holds.
 */
export function memberLedger(own: BudgetLedger, { ledger: groups, member }: GroupAccounts): BudgetLedger {
  /** Holds that the groups have, too, by their ids in this home. */
  const shared = new Set<string>()

  /** In both, whatever becomes of the first. */
  async function end(id: string, work: (ledger: BudgetLedger, name: string) => void | Promise<void>): Promise<void> {
    const isShared = shared.delete(id)
    const [first, second] = await Promise.allSettled([
      (async () => work(own, id))(),
      (async () => (isShared ? work(groups, memberHold(member, id)) : undefined))(),
    ])
    if (second.status === 'rejected') shared.add(id)
    for (const each of [first, second]) if (each.status === 'rejected') throw each.reason
  }

  const release = (id: string) => end(id, (ledger, name) => ledger.release(name))

  return {
    async hold(hold) {
      const { id, checks } = hold
      const { ofGroup = [], ofHome = [] } = Object.groupBy(checks, ({ account }) =>
        isOfGroup(account) ? 'ofGroup' : 'ofHome',
      )
      const held = await own.hold({ ...hold, checks: ofHome })
      if (held.passed.length > 0 || ofGroup.length === 0) return held
      shared.add(id)
      const { grant: _ofHome, ...rest } = hold
      try {
        const inGroups = await groups.hold({ ...rest, id: memberHold(member, id), checks: ofGroup })
        if (inGroups.passed.length === 0) return { passed: [], warned: [...held.warned, ...inGroups.warned] }
        shared.delete(id)
        await own.release(id)
        return inGroups
      } catch (error) {
        // Whether the groups hold it nobody knows.
        await release(id).catch(() => {})
        throw error
      }
    },
    settle: (id, cost) => end(id, (ledger, name) => ledger.settle(name, cost)),
    release,
    count: (account, calls, earlier) => own.count(account, calls, earlier),
    async recover(forgetBefore) {
      const before = await own.recover(forgetBefore)
      const names = await groups.recover(forgetBefore, member)
      const ids = names.map((name) => name.slice(memberHold(member, '').length))
      for (const id of ids) shared.add(id)
      return [...new Set([...before, ...ids])].toSorted()
    },
    state: (check) => (isOfGroup(check.account) ? groups : own).state(check),
    close: () => own.close(),
  }
}
