import assert from 'node:assert/strict'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test, type TestContext } from 'node:test'
import { dearestCost, reportedCost } from '../../src/runtime/budgets/call-bound.ts'
import { type CallOwner, checksFor, type MoneyBudget } from '../../src/runtime/budgets/call-budgets.ts'
import { openBudgetLedger } from '../../src/session.ts'

const TURNS = 10_000 * Number(process.env['LAWS_TIMES'] ?? 1)
const SESSIONS = 8

const PRICE = {
  input: 3,
  cachedInput: 0.3,
  cacheWrite: 3.75,
  output: 15,
  above: { tokens: 4_000, price: { input: 6, cachedInput: 0.6, cacheWrite: 7.5, output: 22.5 } },
}

const configured: readonly MoneyBudget[] = [
  { limit: { usd: 3.21 }, per: 'day' },
  { limit: { usd: 20 }, per: 'month' },
  { limit: { usd: 0.11 }, per: 'turn' },
  { limit: { usd: 4.4 }, per: 'session' },
  { limit: { tokens: 150_000 }, per: 'day', agent: 'ada' },
  { limit: { usd: 0.9 }, per: 'day', token: 'phone' },
  { limit: { usd: 0.4 }, per: 'day', channel: 'telegram' },
]

interface Running {
  readonly id: string
  readonly ledger: number
  readonly cost: { readonly nanos: number; readonly tokens: number }
}

test(`over ${TURNS} turns with retries, side calls, parallel sessions and crashes, no limit is passed by a nano-dollar`, (t) => {
  const random = numbers(20_261)
  const path = ledgerFile(t)
  const open = () => openBudgetLedger(path, { durable: false })
  /** Two processes on one home. */
  const ledgers = [open(), open()]
  t.after(() => ledgers.forEach((ledger) => ledger.close()))
  /** What the provider has billed, whatever the ledger says. */
  const bills = new Map<string, { nanos: number; tokens: number }>()
  const limits = new Map<string, number>()
  let running: Running[] = []
  const seen = { left: 0, refused: 0, crashes: 0, unreported: 0, released: 0 }

  function call(owner: CallOwner, n: string, day: string): void {
    const checks = checksFor(owner, { configured, day })
    const used = random(6_000)
    const maxOutputTokens = 1 + random(1_000)
    const most = dearestCost({ used, ratio: 0.8 + random(100) / 250, window: 16_000, maxOutputTokens }, PRICE)
    const ledger = random(2)
    const { passed } = ledgers[ledger]!.hold({ id: n, call: n, time: `${day}T12:00:00.000Z`, most, checks })
    if (passed.length > 0) {
      seen.refused += 1
      return
    }
    seen.left += 1
    // A provider may count half again as much as we do, and may write every token to its cache.
    const promptTokens = Math.floor(used * (random(150) / 100))
    const cachedTokens = random(promptTokens + 1)
    const usage = {
      promptTokens,
      cachedTokens,
      cacheWrittenTokens: random(promptTokens - cachedTokens + 1),
      outputTokens: random(maxOutputTokens + 1),
      reasoningTokens: undefined,
    }
    // A provider that answers with a refusal bills nothing.
    const isRefusal = random(20) === 0
    const cost = isRefusal ? { nanos: 0, tokens: 0 } : reportedCost(usage, PRICE)!
    for (const { account, unit, limit } of checks) {
      const bill = bills.get(account) ?? { nanos: 0, tokens: 0 }
      if (!limits.has(`${unit} ${account}`)) limits.set(`${unit} ${account}`, limit)
      bills.set(account, bill)
    }
    for (const account of new Set(checks.map((check) => check.account))) {
      const bill = bills.get(account)!
      bills.set(account, { nanos: bill.nanos + cost.nanos, tokens: bill.tokens + cost.tokens })
    }
    if (isRefusal) {
      ledgers[ledger]!.release(n)
      seen.released += 1
    } else running.push({ id: n, ledger, cost })
  }

  function end(): void {
    if (running.length === 0) return
    const index = random(running.length)
    const { id, ledger, cost } = running[index]!
    running.splice(index, 1)
    if (random(10) === 0) {
      seen.unreported += 1
      ledgers[ledger]!.settle(id)
      // Sometimes a report comes late, and corrects the estimate.
      if (random(2) === 0) ledgers[ledger]!.settle(id, cost)
    } else ledgers[ledger]!.settle(id, cost)
  }

  /** The process ends between the hold and what the call has cost. */
  function crash(): void {
    seen.crashes += 1
    const ledger = random(2)
    ledgers[ledger]!.close()
    running = running.filter((each) => each.ledger !== ledger)
    const again = open()
    again.recover('2000-01-01')
    ledgers[ledger] = again
  }

  for (let turn = 0; turn < TURNS; turn += 1) {
    const date = new Date(Date.UTC(2026, 0, 1 + Math.floor(turn / 120))).toISOString().slice(0, 10)
    const owner: CallOwner = {
      turn: `turn-${turn}`,
      session: `session-${Math.floor(turn / 500)}-${random(SESSIONS)}`,
      agent: random(3) === 0 ? 'ada' : undefined,
      token: random(3) === 0 ? 'phone' : undefined,
      channel: random(5) === 0 ? 'telegram' : undefined,
    }
    const calls = 1 + random(3)
    for (let n = 0; n < calls; n += 1) {
      call(owner, `${turn}/${n}`, date)
      // The same call again, and one for a title or a note, which belongs to no turn.
      if (random(6) === 0) call(owner, `${turn}/${n}/again`, date)
      if (random(8) === 0) call({ turn: `side-${turn}-${n}`, token: owner.token }, `${turn}/${n}/side`, date)
      while (running.length > 12 || (running.length > 0 && random(2) === 0)) end()
    }
    if (random(150) === 0) crash()
  }
  while (running.length > 0) end()

  for (const [key, limit] of limits) {
    const [unit] = key.split(' ') as ['nanos' | 'tokens']
    const account = key.slice(unit.length + 1)
    const bill = bills.get(account)!
    assert.ok(bill[unit] <= limit, `${key}: ${bill[unit]} of ${limit}`)
    const { spent, held } = ledgers[0]!.state({ account, unit, limit })
    assert.ok(spent + held >= bill[unit], `${key}: the ledger has ${spent} + ${held}, and the bill is ${bill[unit]}`)
    assert.ok(spent + held <= limit, key)
    assert.equal(held, 0, key)
  }
  // The budgets were used, and every kind of end came about often.
  for (const [kind, times] of Object.entries(seen)) assert.ok(times > 30, `${kind}: ${times}`)
  assert.ok(seen.left > TURNS / 4, JSON.stringify(seen))
})

test('a call of which nothing is known costs what it can have cost, and a late report corrects that', (t) => {
  const ledger = openBudgetLedger(ledgerFile(t))
  t.after(() => ledger.close())
  const check = { account: 'a', unit: 'nanos', limit: 100, warnAt: 0.8 } as const
  const hold = { call: 'call', time: '2026-01-01T00:00:00.000Z', checks: [check] }
  ledger.hold({ ...hold, id: 'one', most: { nanos: 60, tokens: 6 } })
  assert.equal(ledger.recover('2000-01-01').length, 1)
  assert.deepEqual(ledger.state(check), { spent: 60, held: 0, earlier: 0, limit: 100 })
  assert.equal(ledger.hold({ ...hold, id: 'two', most: { nanos: 41, tokens: 4 } }).passed.length, 1)
  ledger.settle('one', { nanos: 20, tokens: 2 })
  ledger.settle('one', { nanos: 20, tokens: 2 })
  assert.deepEqual(ledger.state(check), { spent: 20, held: 0, earlier: 0, limit: 100 })
  const { passed, warned } = ledger.hold({ ...hold, id: 'three', most: { nanos: 60, tokens: 4 } })
  assert.deepEqual([passed, warned.map(({ held }) => held)], [[], [60]])
})

test('what a person allowed counts once, and again where the provider refused the call', (t) => {
  const ledger = openBudgetLedger(ledgerFile(t))
  t.after(() => ledger.close())
  const hold = {
    call: 'call',
    time: '2026-01-01T00:00:00.000Z',
    checks: [{ account: 'a', unit: 'nanos', limit: 10, warnAt: 0.8 }] as const,
    most: { nanos: 60, tokens: 6 },
    grant: { approval: 'yes', once: true, raises: [] },
  }
  const leaves = (id: string) => ledger.hold({ ...hold, id }).passed.length === 0
  assert.ok(leaves('one'))
  ledger.release('one')
  assert.ok(leaves('two'), 'made again')
  assert.ok(!leaves('three'))
})

test('an amount that is no whole number is refused, and nothing is held', (t) => {
  const ledger = openBudgetLedger(ledgerFile(t))
  t.after(() => ledger.close())
  const check = { account: 'a', unit: 'nanos', limit: 10, warnAt: 0.8 } as const
  for (const nanos of [0.5, -1, Number.NaN, 2 ** 60]) {
    const hold = {
      id: 'one',
      call: 'one',
      time: '2026-01-01T00:00:00.000Z',
      checks: [check],
      most: { nanos, tokens: 0 },
    }
    assert.throws(() => ledger.hold(hold), { code: 'invalid' })
  }
  assert.deepEqual(ledger.state(check), { spent: 0, held: 0, earlier: 0, limit: 10 })
})

function ledgerFile(t: TestContext): string {
  const folder = mkdtempSync(join(tmpdir(), 'foreword-budgets-'))
  t.after(() => rmSync(folder, { recursive: true, force: true }))
  return join(folder, 'budgets.sqlite')
}

/** Whole numbers below a bound, the same in every run. */
function numbers(seed: number): (below: number) => number {
  let state = seed
  return (below) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0
    return Math.floor((state / 2 ** 32) * below)
  }
}
