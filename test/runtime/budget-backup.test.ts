import assert from 'node:assert/strict'
import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test, type TestContext } from 'node:test'
import { backupHome } from '../../src/capabilities/backup/backup-home.ts'
import { restoreHome } from '../../src/capabilities/backup/restore-home.ts'
import { openBudgetLedger } from '../../src/session.ts'
import { systemClock } from '../../src/platform.ts'

const CHECK = { account: JSON.stringify(['day', '2026-01-05', {}]), unit: 'nanos', limit: 1e12, warnAt: 1 } as const
const NOW = '2026-01-05T12:00:00.000Z'

test('a backup that is made while calls are held and settled has a whole ledger, of one moment', async (t) => {
  const home = temporaryHome(t)
  const ledger = openBudgetLedger(fileOf(home))
  t.after(() => ledger.close())
  let calls = 0
  /** Each call is held for 10 and costs 7. */
  const spend = () => {
    calls += 1
    const [id, most] = [`call-${calls}`, { nanos: 10, tokens: 1 }]
    assert.deepEqual(ledger.hold({ id, call: id, time: NOW, most, checks: [CHECK] }).passed, [])
    if (calls % 3 > 0) ledger.settle(id, { nanos: 7, tokens: 1 })
  }
  spend()
  const before = ledger.state(CHECK)
  const over = new AbortController()
  const saving = saved(home, () => spend()).finally(() => over.abort())
  while (!over.signal.aborted) {
    spend()
    await new Promise(setImmediate)
  }
  const archive = await saving
  const after = ledger.state(CHECK)
  const restored = await restoredTo(temporaryHome(t), archive)
  for (const end of ['-wal', '-shm']) assert.ok(!existsSync(`${fileOf(restored)}${end}`))
  const copy = openBudgetLedger(fileOf(restored))
  t.after(() => copy.close())
  const { spent, held } = copy.state(CHECK)
  assert.ok(spent >= before.spent && spent <= after.spent && spent % 7 === 0 && held % 10 === 0, `${spent}, ${held}`)
  copy.recover(NOW)
  assert.deepEqual(copy.state(CHECK), { spent: spent + held, held: 0, earlier: 0, limit: CHECK.limit })
})

test('what was spent after the archive was made stays spent, and what only the archive knows is added', async (t) => {
  const home = temporaryHome(t)
  const other = { ...CHECK, account: JSON.stringify(['day', '2026-01-05', { token: 'phone' }]) }
  spendOnce(home, CHECK, 'one')
  spendOnce(home, other, 'two')
  const archive = await saved(home)
  rmSync(fileOf(home))
  for (const call of ['one', 'three', 'four']) spendOnce(home, CHECK, call)
  await restoredTo(home, archive)
  const ledger = openBudgetLedger(fileOf(home))
  t.after(() => ledger.close())
  assert.equal(ledger.state(CHECK).spent, 21)
  assert.equal(ledger.state(other).spent, 7)
  const cost = { nanos: 7, tokens: 1 }
  ledger.count(CHECK.account, [{ call: 'three', time: NOW, cost }], true)
  ledger.count(other.account, [{ call: 'two', time: NOW, cost }], true)
  assert.deepEqual([ledger.state(CHECK).spent, ledger.state(other).spent], [21, 7], 'no call counts twice')
  ledger.count(CHECK.account, [{ call: 'five', time: NOW, cost }], true)
  assert.equal(ledger.state(CHECK).spent, 28, 'the log knows one more')
})

test('a restore into an empty home has the ledger of the archive, and one beside a broken ledger, too', async (t) => {
  const home = temporaryHome(t)
  spendOnce(home, CHECK, 'one')
  const archive = await saved(home)
  for (const broken of [false, true]) {
    const target = temporaryHome(t)
    if (broken) writeFileSync(fileOf(target), 'no database at all, but long enough to be read as one '.repeat(40))
    await restoredTo(target, archive)
    const ledger = openBudgetLedger(fileOf(target))
    assert.equal(ledger.state(CHECK).spent, 7)
    ledger.close()
  }
})

test('a ledger that cannot be copied is left out of the archive, and said', async (t) => {
  const home = temporaryHome(t)
  writeFileSync(fileOf(home), 'no database at all, but long enough to be read as one '.repeat(40))
  const file = join(home, '..', 'saved.tar.gz')
  const { leftOut } = await backupHome({ home, file, version: '0.1.0', time: NOW })
  assert.equal(leftOut.length, 1)
  assert.match(leftOut[0]!, /^data\/budgets\.sqlite: .*; the next start fills budgets from the log$/)
})

function spendOnce(
  home: string,
  check: typeof CHECK | (Omit<typeof CHECK, 'account'> & { account: string }),
  call: string,
) {
  const ledger = openBudgetLedger(fileOf(home))
  ledger.hold({ id: call, call, time: NOW, most: { nanos: 10, tokens: 1 }, checks: [check] })
  ledger.settle(call, { nanos: 7, tokens: 1 })
  ledger.close()
}

async function saved(home: string, onProgress: () => void = () => {}): Promise<string> {
  const file = join(home, '..', 'saved.tar.gz')
  await backupHome({ home, file, version: '0.1.0', time: NOW, onProgress })
  return file
}

async function restoredTo(home: string, file: string): Promise<string> {
  await restoreHome({
    clock: systemClock,
    home,
    findTargets: async () => [],
    findPrograms: async () => [],
    file,
    replaces: true,
    time: NOW,
  })
  return home
}

function fileOf(home: string): string {
  return join(home, 'data', 'budgets.sqlite')
}

function temporaryHome(t: TestContext): string {
  const folder = mkdtempSync(join(tmpdir(), 'foreword-budgets-'))
  t.after(() => rmSync(folder, { recursive: true, force: true }))
  const home = join(folder, 'home')
  // As a gateway makes it.
  const ledger = openBudgetLedger(fileOf(home))
  ledger.close()
  rmSync(fileOf(home))
  return home
}
