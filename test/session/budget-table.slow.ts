import assert from 'node:assert/strict'
import { join } from 'node:path'
import { test } from 'node:test'
import { systemClock } from '../../src/platform.ts'
import { dearestCost, reportedCost } from '../../src/runtime/budgets/call-bound.ts'
import { type CallOwner, checksFor, type MoneyBudget } from '../../src/runtime/budgets/call-budgets.ts'
import {
  type BudgetAmount,
  type BudgetLedger,
  copyBudgets,
  openBudgetLedger,
  openStore,
  type SessionStore,
  StoreError,
} from '../../src/session.ts'
import { temporaryFolder } from './temporary-folder.ts'
import { postgresForTests } from './postgres-for-tests.ts'

const { options, server } = postgresForTests()

/** Calls that are asked for. */
const ASKED = Number(process.env['ASKED'] ?? 2_000)
const SEED = Number(process.env['SEED'] ?? 20_261_130)
/** Calls of a day of the race. */
const OF_A_DAY = 150
const AT_ONCE = 24

const PRICE = { input: 3, cachedInput: 0.3, cacheWrite: 3.75, output: 15 }
const configured: readonly MoneyBudget[] = [
  { limit: { usd: 1.6 }, per: 'day' },
  { limit: { usd: 9 }, per: 'month' },
  { limit: { usd: 0.11 }, per: 'turn' },
  { limit: { tokens: 90_000 }, per: 'day', agent: 'ada' },
  { limit: { usd: 0.5 }, per: 'day', token: 'phone' },
]

test(
  `of ${ASKED} calls that race with takeovers and with a process beside the gateway, no limit is passed by a nano-dollar`,
  { ...options, timeout: 3_600_000 },
  async (t) => {
    const random = numbers(SEED)
    const address = await server().database()
    const name = /\/(store_\d+)/.exec(address)![1]!
    const bills = new Map<string, BudgetAmount>()
    const limits = new Map<
      string,
      { readonly account: string; readonly unit: keyof BudgetAmount; readonly limit: number }
    >()
    const seen = { left: 0, refused: 0, fenced: 0, unsettled: 0, unreported: 0, released: 0, takeovers: 0, again: 0 }

    const opened: SessionStore[] = []
    const enter = async (beside: boolean): Promise<SessionStore> => {
      const store = await openStore({ clock: systemClock, path: address, beside })
      opened.push(store)
      return store
    }
    t.after(async () => {
      for (const store of opened) await store.close().catch(() => {})
    })
    let gateway = await enter(false)
    let beside = await enter(true)
    let takingOver: Promise<void> | undefined

    /** What a takeover does first is done while calls are held: the gateway finds out with its next write. */
    async function takeOver(): Promise<void> {
      seen.takeovers += 1
      const lost = gateway
      await server().execute('update foreword.ownership set epoch = epoch + 1', name)
      await lost.close().catch(() => {})
      const next = await enter(false)
      await next.budgets!.recover('2000-01-01')
      gateway = next
      // A command beside it may end at any moment, too.
      if (random(3) > 0) return
      const other = beside
      beside = await enter(true)
      await other.close().catch(() => {})
    }

    /** `undefined`: the process lost its store meanwhile. */
    async function unlessLost<Result>(work: Promise<Result>): Promise<Result | undefined> {
      try {
        return await work
      } catch (error) {
        if (!(error instanceof StoreError) || !LOST.has(error.code)) throw error
        return undefined
      }
    }

    async function call(n: number): Promise<void> {
      const day = new Date(Date.UTC(2026, 0, 1 + Math.floor(n / OF_A_DAY))).toISOString().slice(0, 10)
      const owner: CallOwner = {
        turn: `turn-${Math.floor(n / 3)}`,
        agent: random(3) === 0 ? 'ada' : undefined,
        token: random(3) === 0 ? 'phone' : undefined,
      }
      const ledger = (random(4) === 0 ? beside : gateway).budgets!
      for (let attempt = 0; attempt < 3; attempt += 1) {
        if (attempt > 0) seen.again += 1
        if (!(await leave(ledger, owner, `${n}/${attempt}`, day)) || random(6) > 0) return
      }
    }

    /** Whether the call left. */
    async function leave(ledger: BudgetLedger, owner: CallOwner, id: string, day: string): Promise<boolean> {
      const checks = checksFor(owner, { configured, day })
      const used = random(4_000)
      const maxOutputTokens = 1 + random(1_000)
      const most = dearestCost({ used, ratio: 1, window: 16_000, maxOutputTokens }, PRICE)
      const held = await unlessLost(
        Promise.resolve(ledger.hold({ id, call: id, time: `${day}T12:00:00.000Z`, most, checks })),
      )
      if (held === undefined) {
        seen.fenced += 1
        return false
      }
      for (const { account, unit, limit } of held.passed) limits.set(`${unit} ${account}`, { account, unit, limit })
      if (held.passed.length > 0) {
        seen.refused += 1
        return false
      }
      seen.left += 1
      const usage = {
        promptTokens: Math.floor(used * (random(150) / 100)),
        outputTokens: random(maxOutputTokens + 1),
        cachedTokens: undefined,
        cacheWrittenTokens: undefined,
        reasoningTokens: undefined,
      }
      const isRefusal = random(20) === 0
      const cost = isRefusal ? { nanos: 0, tokens: 0 } : reportedCost(usage, PRICE)!
      for (const { account, unit, limit } of checks) limits.set(`${unit} ${account}`, { account, unit, limit })
      for (const account of new Set(checks.map((check) => check.account))) {
        const bill = bills.get(account) ?? { nanos: 0, tokens: 0 }
        bills.set(account, { nanos: bill.nanos + cost.nanos, tokens: bill.tokens + cost.tokens })
      }
      // What the provider takes for it.
      for (let turns = random(20); turns > 0; turns -= 1) await new Promise(setImmediate)
      const isUnreported = random(10) === 0
      if (isRefusal) seen.released += 1
      else if (isUnreported) seen.unreported += 1
      const end = async () => {
        if (isRefusal) await ledger.release(id)
        else await ledger.settle(id, isUnreported ? undefined : cost)
        return true
      }
      if ((await unlessLost(end())) === undefined) seen.unsettled += 1
      return true
    }

    let next = 0
    await Promise.all(
      Array.from({ length: AT_ONCE }, async () => {
        while (next < ASKED) {
          const n = next
          next += 1
          if (n > 0 && n % Math.max(100, Math.round(ASKED / 60)) === 0) {
            await takingOver
            takingOver = takeOver()
          }
          await call(n)
          // While nobody has the store, nothing is to be had from it.
          if (takingOver && random(2) === 0) await takingOver
        }
      }),
    )
    await takingOver

    t.diagnostic(JSON.stringify({ SEED, ASKED, ...seen }))
    for (const check of limits.values()) {
      const { account, unit, limit } = check
      const bill = bills.get(account)?.[unit] ?? 0
      const { spent, held } = await gateway.budgets!.state(check)
      assert.ok(bill <= limit, `${account}: ${bill} of ${limit} ${unit}`)
      assert.ok(spent + held >= bill, `${account}: the ledger has ${spent} + ${held}, and the bill is ${bill}`)
      assert.ok(spent + held <= limit, `${account}: ${spent} + ${held} of ${limit} ${unit}`)
    }
    for (const [kind, times] of Object.entries(seen)) assert.ok(times > 2, `${kind}: ${times}`)
    assert.ok(seen.refused > seen.left / 20, JSON.stringify(seen))
  },
)

test('of two processes that want the last of the money at the same moment one has it', options, async () => {
  const address = await server().database()
  const stores = [
    await openStore({ clock: systemClock, path: address }),
    await openStore({ clock: systemClock, path: address, beside: true }),
  ]
  for (let round = 0; round < 40; round += 1) {
    const checks = [{ account: `round ${round}`, unit: 'nanos', limit: 10, warnAt: 0.8 }] as const
    const holds = stores.map(async ({ budgets }, process) => {
      const id = `${round}/${process}`
      return budgets!.hold({ id, call: id, time: '2026-01-01T00:00:00.000Z', most: { nanos: 6, tokens: 1 }, checks })
    })
    const held = (await Promise.all(holds)).filter(({ passed }) => passed.length === 0)
    assert.equal(held.length, 1, `round ${round}`)
  }
  for (const store of stores.toReversed()) await store.close()
})

test('a home without budgets has no table for them', options, async () => {
  const address = await server().database()
  const store = await openStore({ clock: systemClock, path: address })
  assert.deepEqual(await store.budgets!.recover('2000-01-01'), [])
  const check = { account: 'a', unit: 'nanos', limit: 5 } as const
  assert.deepEqual(await store.budgets!.state(check), { spent: 0, held: 0, earlier: 0, limit: 5 })
  const tables = await server().execute(
    "select tablename from pg_tables where tablename like 'budget%'",
    nameOf(address),
  )
  assert.deepEqual(tables, [])
  await store.close()
})

test('what was spent goes into a database with the home, and back, and what is held with it', options, async (t) => {
  const file = join(await temporaryFolder(t), 'budgets.sqlite')
  const before = openBudgetLedger(file)
  const check = { account: 'a', unit: 'nanos', limit: 100, warnAt: 0.8 } as const
  const most = { nanos: 30, tokens: 3 }
  const time = '2026-01-01T00:00:00.000Z'
  before.hold({ id: 'one', call: 'one', time, most, checks: [check] })
  before.settle('one', { nanos: 12, tokens: 1 })
  before.hold({ id: 'two', call: 'two', time, most, checks: [check] })
  before.count('a', [{ call: 'three', time, cost: { nanos: 5, tokens: 1 } }], true)
  const raised = { ...most, nanos: 90 }
  const grant = { approval: 'yes', once: false, raises: [{ account: 'a', unit: 'nanos', to: 200 }] } as const
  assert.deepEqual(before.hold({ id: 'four', call: 'four', time, most: raised, checks: [check], grant }).passed, [])
  const state = before.state(check)
  assert.deepEqual(state, { spent: 17, held: 120, earlier: 5, limit: 200 })
  before.close()

  const address = await server().database()
  const store = await openStore({ clock: systemClock, path: address })
  await copyBudgets({ file }, { address })
  assert.deepEqual(await store.budgets!.state(check), state)
  assert.equal((await store.budgets!.recover('2000-01-01')).length, 2)
  await store.budgets!.count('a', [{ call: 'three', time, cost: { nanos: 5, tokens: 1 } }], true)
  const { passed } = await store.budgets!.hold({ id: 'five', call: 'five', time, most: raised, checks: [check], grant })
  assert.equal(passed.length, 1, 'what was allowed counted once')
  await store.budgets!.settle('two', { nanos: 1, tokens: 1 })
  const now = { spent: 108, held: 0, earlier: 5, limit: 200 }
  assert.deepEqual(await store.budgets!.state(check), now)
  await store.close()

  await copyBudgets({ address }, { file })
  const after = openBudgetLedger(file)
  assert.deepEqual(after.state(check), now)
  after.close()
})

const nameOf = (address: string) => /\/(store_\d+)/.exec(address)![1]!

const LOST: ReadonlySet<string> = new Set(['taken-over', 'not-synced', 'closed', 'io'])

/** Whole numbers below a bound. */
function numbers(seed: number): (below: number) => number {
  let state = seed
  return (below) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0
    return Math.floor((state / 2 ** 32) * below)
  }
}
