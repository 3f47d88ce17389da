import assert from 'node:assert/strict'
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { test } from 'node:test'
import type { Manifest, Message } from '../../context.ts'
import type { CallRecord } from '../call.ts'
import { storeCases } from '../../../test/cases/session-store-cases.ts'
import { openStoreConnection } from './connection.ts'
import { openStoreFile } from './open-sqlite-store.ts'
import { systemClock } from '../../platform.ts'

storeCases(test, async () => {
  const folder = await mkdtemp(join(tmpdir(), 'foreword-store-'))
  return {
    open: () => openStoreFile({ clock: systemClock, path: join(folder, 'store.sqlite') }),
    remove: () => rm(folder, { recursive: true, force: true }),
  }
})

test('what was said in a deleted session, and what its files were called, does not stay in the file', async (context) => {
  const folder = await mkdtemp(join(tmpdir(), 'foreword-store-'))
  context.after(() => rm(folder, { recursive: true, force: true }))
  const path = join(folder, 'store.sqlite')
  const store = await openStoreFile({ clock: systemClock, path })
  const tokens = { counter: 'chars@1', full: 1, least: 1 }
  const message = { role: 'user', content: 'my diary, '.repeat(2_000) } as const
  await store.append(
    's',
    [{ type: 'session-start' }, { type: 'input', turn: 't', message, tokens }],
    '2026-01-01T00:00:00.000Z',
  )
  const [owner, state] = [{ type: 'session', id: 's' }, { type: 'processing' }] as const
  const row = {
    time: '2026-01-01T00:00:00.000Z',
    owner,
    mediaType: 'text/plain',
    bytes: 1,
    hash: 'a'.repeat(64),
    state,
  }
  await store.putFile({ ...row, id: 'f1', name: 'my secret letter.txt' })
  await store.putFile({ ...row, id: 'f2', name: 'my other letter.txt' })
  await store.deleteFile('f2')
  await store.close()
  const kept = await readFile(path)
  assert.deepEqual(
    ['my diary', 'my secret letter', 'my other letter'].map((said) => kept.includes(said)),
    [true, true, false],
  )
  const again = await openStoreFile({ clock: systemClock, path })
  assert.equal(await again.deleteSession('s'), true)
  await again.close()
  const left = await readFile(path)
  assert.deepEqual([left.includes('my diary'), left.includes('my secret letter')], [false, false])
})

test('what is written is serialized before the transaction, which blocks other writers', async (context) => {
  const path = join(await mkdtemp(join(tmpdir(), 'foreword-store-')), 'store.sqlite')
  context.after(() => rm(dirname(path), { recursive: true, force: true }))
  const store = await openStoreFile({ clock: systemClock, path })
  const other = openStoreConnection({ clock: systemClock, path, busyTimeoutMs: 0 })
  let serialized = 0
  const watched = {
    toJSON() {
      other.transaction(() => {})
      serialized += 1
      return 'ok'
    },
  }
  const time = '2026-01-01T00:00:00.000Z'
  const tokens = { counter: 'chars@1', full: 1, least: 1 }
  const output = { type: 'json', value: watched as never } as const
  const message: Message = {
    role: 'tool',
    content: [{ type: 'tool-result', toolCallId: 'c', toolName: 'shell', output }],
  }
  await store.append(
    's',
    [
      { type: 'session-start' },
      { type: 'input', turn: 't', message: { role: 'user', content: 'hello' }, tokens },
      { type: 'turn-start', turn: 't' },
    ],
    time,
  )
  const bodies = [{ type: 'message', turn: 't', message, tokens }] as const
  await store.append('s', bodies, time)
  await store.transaction([
    { type: 'append', session: 's', bodies, time },
    { type: 'call', record: call('c1', watched) },
  ])
  await store.putCall(call('c2', watched))
  other.close()
  assert.deepEqual({ ...(await store.toolSums({}))[0] }, { tool: 'shell', results: 2, tokens: 2 })
  // Each message twice, once for the length of its result.
  assert.equal(serialized, 6)
  await store.close()
})

function call(id: string, input: unknown): CallRecord {
  const manifest = { used: 0, entries: [] } as unknown as Manifest
  return { id, time: '2026-01-01T00:00:00.000Z', model: 'rehearsal', input, manifest, requestDigest: 'e3b0' }
}

test('a session goes on in order though another process writes in it, and after writes that were undone', async (context) => {
  const path = join(await mkdtemp(join(tmpdir(), 'foreword-store-')), 'store.sqlite')
  context.after(() => rm(dirname(path), { recursive: true, force: true }))
  const time = '2026-01-01T00:00:00.000Z'
  const tokens = { counter: 'chars@1', full: 5, least: 1 }
  const input = (turn: string) => ({ type: 'input', turn, message: { role: 'user', content: turn }, tokens }) as const
  const [one, other] = [
    await openStoreFile({ clock: systemClock, path }),
    await openStoreFile({ clock: systemClock, path }),
  ]
  await one.append('s', [{ type: 'session-start' }, input('t1')], time)
  await other.append('s', [{ type: 'turn-start', turn: 't1' }, input('t2')], time)
  await one.append('s', [{ type: 'turn-end', turn: 't1', outcome: { type: 'completed' } }], time)
  // Both are one transaction, which the second one undoes.
  const undone = one.append('missing', [input('t1')], time)
  const [refused] = await Promise.allSettled([undone, one.append('s', [input('t3')], time)])
  assert.equal(refused.status, 'rejected')
  await other.append('s', [{ type: 'turn-start', turn: 't2' }], time)
  await one.append('s', [input('t4')], time)
  assert.deepEqual(
    (await other.entries('s')).map(({ seq, type }) => [seq, type]),
    ['session-start', 'input', 'turn-start', 'input', 'turn-end', 'input', 'turn-start', 'input'].map((type, index) => [
      index + 1,
      type,
    ]),
  )
  assert.deepEqual(
    (await one.turns('s')).map(({ turn, ordinal, state, tokensBefore }) => [turn, ordinal, state, tokensBefore]),
    [
      ['t4', 4, 'queued', 15],
      ['t3', 3, 'queued', 10],
      ['t2', 2, 'running', 5],
      ['t1', 1, 'completed', 0],
    ],
  )
  assert.deepEqual(await Array.fromAsync(one.damage()), [])
  await Promise.all([one.close(), other.close()])
})
