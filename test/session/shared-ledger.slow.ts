import assert from 'node:assert/strict'
import { join } from 'node:path'
import { test, type TestContext } from 'node:test'
import { systemClock } from '../../src/platform.ts'
import {
  type BudgetLedger,
  carryBudgetLedger,
  memberHold,
  openBudgetLedger,
  openSharedLedger,
  openStore,
} from '../../src/session.ts'
import { postgresForTests } from './postgres-for-tests.ts'
import { temporaryFolder } from './temporary-folder.ts'

const { options, server } = postgresForTests()

const LIMIT = 50
const check = { account: '["day","2026-11-30",{"group":"divers"}]', unit: 'tokens', limit: LIMIT, warnAt: 2 } as const
const time = '2026-11-30T10:00:00.000Z'
const most = { nanos: 1_000, tokens: 1 }

const holdOf = (ledger: BudgetLedger, member: string, call: string) =>
  ledger.hold({ id: memberHold(member, `${call}/1`), call, time, most, checks: [check] })

/** Several members ask for more than there is, each through a ledger of their own, beside the owner's. */
async function race(
  t: TestContext,
  open: () => BudgetLedger,
  owners: Pick<BudgetLedger, 'hold' | 'recover' | 'state'>,
): Promise<void> {
  const members = ['ann', 'bob', 'carol'].map((name) => ({ name, ledger: open() }))
  t.after(() => members.forEach(({ ledger }) => ledger.close()))
  const asked = members.map(async ({ name, ledger }) => {
    const results: Awaited<ReturnType<typeof holdOf>>[] = []
    // One after another, so that each is a transaction that others are beside.
    for (let number = 0; number < 40; number += 1) results.push(await holdOf(ledger, name, `call_${name}${number}`))
    return results
  })
  const ofOwner = Array.from({ length: 40 }, async (_, number) =>
    owners.hold({
      id: `call_o${number}/1`,
      call: `call_o${number}`,
      time,
      most,
      checks: [{ ...check, account: '["day","2026-11-30",{}]' }],
    }),
  )
  const held = (await Promise.all(asked)).flat().filter(({ passed }) => passed.length === 0)
  await Promise.all(ofOwner)
  assert.equal(held.length, LIMIT)
  // Nobody counts what is held for another.
  assert.equal((await owners.recover('2000-01-01')).length, 40)
  assert.deepEqual(await owners.state(check), { spent: 0, held: LIMIT, earlier: 0, limit: LIMIT })
  let spent = 0
  for (const { name, ledger } of members) {
    const left = await ledger.recover('2000-01-01', name)
    assert.ok(
      left.every((id) => id.startsWith(memberHold(name, 'call_'))),
      String(left),
    )
    spent += left.length
    assert.deepEqual(await owners.state(check), { spent, held: LIMIT - spent, earlier: 0, limit: LIMIT })
  }
  assert.equal(spent, LIMIT)
}

test('members of a group never hold more than they share, through connections to one file', async (t) => {
  const folder = await temporaryFolder(t)
  const file = join(folder, 'budgets.sqlite')
  const owners = openBudgetLedger(file)
  t.after(() => owners.close())
  await race(t, () => openSharedLedger(() => ({ file }), systemClock), owners)
  // What runs when a backup is made counts as spent in what is restored from it, whoever runs it.
  const ofMonth = { ...check, account: '["month","2026-11",{"group":"divers"}]' }
  owners.hold({ id: memberHold('ann', 'call_m/1'), call: 'call_m', time, most, checks: [ofMonth] })
  const restored = join(folder, 'restored.sqlite')
  carryBudgetLedger(file, restored)
  const other = openBudgetLedger(restored)
  t.after(() => other.close())
  assert.deepEqual(other.state(ofMonth), { spent: 1, held: 0, earlier: 0, limit: LIMIT })
  assert.equal(owners.state(ofMonth).held, 1)
})

test('members of a group never hold more than they share, at several gateways on one database', options, async (t) => {
  const address = await server().database()
  const store = await openStore({ clock: systemClock, path: address })
  t.after(() => store.close())
  await race(t, () => openSharedLedger(() => ({ address }), systemClock), store.budgets!)
})
