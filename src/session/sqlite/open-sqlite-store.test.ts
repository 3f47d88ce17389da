import assert from 'node:assert/strict'
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { storeCases } from '../../testing.ts'
import { openStoreFile } from './open-sqlite-store.ts'

storeCases(test, async () => {
  const folder = await mkdtemp(join(tmpdir(), 'foreword-store-'))
  return {
    open: () => openStoreFile({ path: join(folder, 'store.sqlite') }),
    remove: () => rm(folder, { recursive: true, force: true }),
  }
})

test('what was said in a deleted session, and what its files were called, does not stay in the file', async (context) => {
  const folder = await mkdtemp(join(tmpdir(), 'foreword-store-'))
  context.after(() => rm(folder, { recursive: true, force: true }))
  const path = join(folder, 'store.sqlite')
  const store = await openStoreFile({ path })
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
  const again = await openStoreFile({ path })
  assert.equal(await again.deleteSession('s'), true)
  await again.close()
  const left = await readFile(path)
  assert.deepEqual([left.includes('my diary'), left.includes('my secret letter')], [false, false])
})
