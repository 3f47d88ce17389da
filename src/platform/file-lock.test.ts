import assert from 'node:assert/strict'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import test, { type TestContext } from 'node:test'
import { fixedClock } from '../testing.ts'
import { ForewordError, withFileLock, systemClock } from '../platform.ts'

test('of two who ask for one lock, the second waits until the first is done, whatever that came to', async (context) => {
  const path = join(temporary(context), '.lock')
  const order: string[] = []
  const held = Promise.withResolvers<void>()
  const clock = fixedClock()
  const first = withFileLock(clock, path, async () => {
    await held.promise
    order.push('first')
    throw new Error('it failed')
  })
  const second = withFileLock(clock, path, async () => void order.push('second'))
  held.resolve()
  await assert.rejects(first, /it failed/)
  await second
  assert.deepEqual(order, ['first', 'second'])
  assert.deepEqual(clock.timers, [])
})

test('a lock that is something else is named', async (context) => {
  const path = join(temporary(context), '.lock')
  writeFileSync(path, 'no lock, and long enough to be looked at as one'.repeat(100))
  await assert.rejects(
    withFileLock(systemClock, path, () => Promise.resolve()),
    (error) =>
      error instanceof ForewordError && error.code === 'unwritable' && error.message.startsWith('.lock in the'),
  )
})

function temporary(context: TestContext): string {
  const folder = mkdtempSync(join(tmpdir(), 'foreword-lock-'))
  context.after(() => rmSync(folder, { recursive: true, force: true }))
  return folder
}
