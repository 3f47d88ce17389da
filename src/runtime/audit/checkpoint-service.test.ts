import assert from 'node:assert/strict'
import { mkdtemp, readFile, rm, stat, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test, type TestContext } from 'node:test'
import { type AuditCheckpoint, openStore, parseCheckpoint } from '../../session.ts'
import { createHome, homeAt } from '../home/home.ts'
import { auditKeyFile } from './audit-key.ts'
import { type CheckpointService, openCheckpoints } from './checkpoint-service.ts'
import { watchStore } from '../watched-store.ts'
import type { CheckpointTarget } from '../checkpoints/checkpoint-targets.ts'
import { systemClock } from '../../platform.ts'
import { fixedClock } from '../../testing.ts'

const MINUTE_MS = 60_000

/** A service over a store in memory, with a target that a test decides about. Timers are those of the test. */
async function serviceWith(context: TestContext, append: CheckpointTarget['append']) {
  const home = await mkdtemp(join(tmpdir(), 'foreword-checkpoints-'))
  context.after(() => rm(home, { recursive: true, force: true }))
  await createHome(homeAt(home))
  const opened = await openStore({ clock: systemClock, path: ':memory:' })
  context.after(() => opened.close())
  const clock = fixedClock({ start: '2026-01-01T00:00:00.000Z' })
  const warnings: string[] = []
  const open = (): Promise<CheckpointService> =>
    openCheckpoints({
      home,
      store: opened,
      targets: [{ name: 'place', append }],
      everyRecords: 3,
      everyMs: 10 * MINUTE_MS,
      clock,
      warn: (text) => warnings.push(text),
    })
  const service = await open()
  const { store } = watchStore(opened, clock, (records) => service.noteRecords(records))
  const record = () =>
    store.transaction([{ type: 'audit', facts: { kind: 'change' }, time: '2026-01-01T00:00:00.000Z' }])
  return { home, clock, service, store, record, warnings, open }
}

/** A target whose lines can be awaited. */
function expectLines() {
  const lines: AuditCheckpoint[] = []
  let next = Promise.withResolvers<AuditCheckpoint>()
  return {
    lines,
    next: () => next.promise,
    async append(line: string) {
      const checkpoint = parseCheckpoint(line)!
      lines.push(checkpoint)
      next.resolve(checkpoint)
      next = Promise.withResolvers()
    },
  }
}

test('a checkpoint is taken after so many records, after so many minutes with new ones, and at the stop', async (context) => {
  const target = expectLines()
  const { clock, service, record } = await serviceWith(context, target.append)
  await service.take()
  assert.deepEqual(target.lines, [], 'there is nothing to prove yet')
  const third = target.next()
  await record()
  await record()
  await record()
  assert.equal((await third).number, 3)
  await service.take()

  await record()
  const later = target.next()
  await clock.advance(10 * MINUTE_MS)
  assert.equal((await later).number, 4)
  await service.take()
  await clock.advance(10 * MINUTE_MS)
  await service.take()
  assert.equal(target.lines.length, 2, 'without new records there is none')

  await record()
  await service.close()
  assert.deepEqual(
    target.lines.map(({ number }) => number),
    [3, 4, 5],
  )
})

test('a place that does not answer keeps no record and no stop waiting, and receives the newest later', async (context) => {
  const asked = Promise.withResolvers<void>()
  const answer: { append: CheckpointTarget['append'] } = {
    append: (_line, signal) =>
      new Promise((_resolve, reject) => {
        asked.resolve()
        signal.addEventListener('abort', () => reject(signal.reason as Error))
      }),
  }
  const { clock, service, record, store, open, warnings } = await serviceWith(context, (...given) =>
    answer.append(...given),
  )
  await record()
  await record()
  await record()
  await asked.promise
  await record()
  assert.equal((await store.auditHead())!.number, 4)
  const closed = service.close()
  await clock.advance(MINUTE_MS)
  await closed
  assert.equal(warnings.length, 1)
  assert.match(warnings[0]!, /could not be written to place: the gateway stopped\. It is tried again\.$/)
  assert.deepEqual(service.warnings(), warnings)

  const target = expectLines()
  answer.append = target.append
  const arrived = target.next()
  const again = await open()
  await arrived
  await again.close()
  assert.ok(target.lines[0]!.number >= 4)
  assert.deepEqual(again.warnings(), [])
})

test('the key is for the owner alone, stays, and a damaged one is not replaced', async (context) => {
  const { home, service, open, warnings } = await serviceWith(context, async () => {})
  await service.close()
  const path = auditKeyFile(home)
  assert.equal((await stat(path)).mode & 0o777, 0o600)
  const again = await open()
  await again.close()
  assert.equal(again.key!.id, service.key!.id)
  await writeFile(path, 'no key')
  const damaged = await open()
  await damaged.close()
  assert.equal(damaged.key, undefined)
  assert.match(warnings.at(-1)!, /^No checkpoints of the audit are taken: The file .* is not the key/)
  assert.equal(await readFile(path, 'utf8'), 'no key')
  const report = await damaged.verify()
  assert.match(report.type === 'broken' ? report.why : '', /is not the key of the audit any more$/)
})
