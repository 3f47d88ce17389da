import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
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

test('a lock for which the disk has no room says so, and does not name its file as a stranger', (context) => {
  const platform = import.meta.resolve('../platform.ts')
  const program = `
    const { systemClock, withFileLock } = await import(${JSON.stringify(platform)})
    const message = await withFileLock(systemClock, process.argv[1], async () => 'locked').catch((error) => error.message)
    process.stderr.write(message)`
  const words = [
    '--conditions=foreword-source',
    '--input-type=module',
    '-e',
    program,
    join(temporary(context), '.lock'),
  ]
  // No file may have a byte: what writes finds a full disk.
  const limited = ['-c', 'ulimit -f 0; exec "$0" "$@"', process.execPath, ...words]
  const { stderr } = spawnSync('sh', limited, { encoding: 'utf8' })
  assert.match(stderr, /^\.lock in the folder \S+ cannot be written\. Free some space on the disk/)
})

function temporary(context: TestContext): string {
  const folder = mkdtempSync(join(tmpdir(), 'foreword-lock-'))
  context.after(() => rmSync(folder, { recursive: true, force: true }))
  return folder
}
