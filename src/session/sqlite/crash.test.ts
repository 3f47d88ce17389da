import assert from 'node:assert/strict'
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { test } from 'node:test'
import { setTimeout as pause } from 'node:timers/promises'
import { openStoreConnection } from './connection.ts'
import { openStoreFile } from './open-sqlite-store.ts'
import { temporaryStore } from '../../../test/session/temporary-store.ts'
import { systemClock } from '../../platform.ts'

const storeModule = JSON.stringify(import.meta.resolve('./open-sqlite-store.ts'))
const platformModule = JSON.stringify(new URL('../../platform.ts', import.meta.url).href)

test('nothing that was acknowledged is lost when the process is killed, and the log has no gap', async (context) => {
  const path = await temporaryStore(context)
  for (let round = 0; round < 5; round += 1) {
    const acknowledged = await killedWhileAppending(path)
    const store = await openStoreFile({ clock: systemClock, path })
    const log = await store.entries('a')
    assert.ok(acknowledged > 0)
    assert.ok(log.length >= acknowledged, `${log.length} entries, ${acknowledged} acknowledged`)
    assert.deepEqual(
      log.map((entry) => entry.seq),
      log.map((_, index) => index + 1),
    )
    assert.equal((await store.session('a'))?.entries, log.length)
    const rows = await store.turns('a')
    const inputs = log.filter((entry) => entry.type === 'input')
    assert.deepEqual(
      rows.map((row) => row.turn).toReversed(),
      inputs.map((entry) => entry.turn),
    )
    await store.close()
    const connection = openStoreConnection({ clock: systemClock, path })
    const check = connection.query('pragma integrity_check')
    connection.close()
    assert.deepEqual(
      check.map((row) => ({ ...row! })),
      [{ integrity_check: 'ok' }],
    )
  }
})

test('several processes read while one writes, each of them a whole log', async (context) => {
  const path = await temporaryStore(context)
  const store = await openStoreFile({ clock: systemClock, path })
  await store.append('a', [{ type: 'session-start' }], '2026-01-01T00:00:00.000Z')
  const readers = [spawned(readingScript(path)), spawned(readingScript(path))]
  const ends = readers.map((reader) => once(reader, 'exit'))
  try {
    await Promise.all(readers.map((reader) => once(reader.stdout!, 'data')))
    for (let turn = 0; turn < 100; turn += 1) await store.append('a', turnOf(`t${turn}`), '2026-01-01T00:00:01.000Z')
    await store.putValue('done', true)
    assert.deepEqual(await Promise.all(ends), [
      [0, null],
      [0, null],
    ])
  } finally {
    for (const reader of readers) reader.kill('SIGKILL')
    await store.close()
  }
})

/** Answers the highest seq that the process was told before it was killed. */
async function killedWhileAppending(path: string): Promise<number> {
  const child = spawned(`
    const { openStoreFile } = await import(${storeModule})
    const { systemClock } = await import(${platformModule})
    const store = await openStoreFile({ clock: systemClock, path: ${JSON.stringify(path)} })
    const tokens = { counter: 'chars@1', full: 1, least: 1 }
    const time = '2026-01-01T00:00:00.000Z'
    if (!(await store.session('a'))) await store.append('a', [{ type: 'session-start' }], time)
    await Promise.all(Array.from({ length: 4 }, async (_, caller) => {
      for (let count = 0; ; count += 1) {
        const turn = process.pid + '-' + caller + '-' + count
        const message = { role: 'user', content: 'x'.repeat(count % 3000) }
        const input = { type: 'input', turn, message, tokens }
        const entries = await store.append('a', [input, { type: 'turn-start', turn }], time)
        process.stdout.write(entries.at(-1).seq + '\\n')
      }
    }))`)
  let said = ''
  child.stdout!.on('data', (chunk: Buffer) => (said += chunk.toString()))
  await once(child.stdout!, 'data')
  await pause(Math.random() * 60)
  child.kill('SIGKILL')
  await once(child, 'close')
  const lines = said.slice(0, said.lastIndexOf('\n')).split('\n')
  return Math.max(...lines.map(Number))
}

/** Reads until the writer is done. Fails when it ever sees half of what was appended together. */
function readingScript(path: string): string {
  return `
    const { openStoreFile } = await import(${storeModule})
    const { systemClock } = await import(${platformModule})
    const store = await openStoreFile({ clock: systemClock, path: ${JSON.stringify(path)}, readOnly: true })
    console.log('reading')
    for (let done = false; !done; ) {
      done = (await store.value('done')) === true
      const log = await store.entries('a')
      const recent = await store.recentTurns('a', { limit: 1e9 })
      if ((log.length - 1) % 4 !== 0) throw new Error('half of an append was seen')
      if (recent.turns.some(({ messages }) => messages.length !== 2)) throw new Error('half of a turn was seen')
      await new Promise(setImmediate)
    }
    await store.close()`
}

function turnOf(turn: string) {
  const tokens = { counter: 'chars@1', full: 1, least: 1 }
  return [
    { type: 'input', turn, message: { role: 'user', content: 'question' }, tokens },
    { type: 'turn-start', turn },
    { type: 'message', turn, message: { role: 'assistant', content: 'answer' }, tokens },
    { type: 'turn-end', turn, outcome: { type: 'completed' } },
  ] as const
}

function spawned(script: string): ChildProcess {
  return spawn(process.execPath, ['--input-type=module', '--eval', script], { stdio: ['ignore', 'pipe', 'inherit'] })
}
