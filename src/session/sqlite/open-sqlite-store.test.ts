import assert from 'node:assert/strict'
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { sessionStoreCases } from '../../testing.ts'
import { openSqliteStore } from './open-sqlite-store.ts'

sessionStoreCases(test, async () => {
  const folder = await mkdtemp(join(tmpdir(), 'foreword-store-'))
  return {
    open: () => openSqliteStore({ path: join(folder, 'store.sqlite') }),
    remove: () => rm(folder, { recursive: true, force: true }),
  }
})

test('what was said in a deleted session does not stay in the file', async (context) => {
  const folder = await mkdtemp(join(tmpdir(), 'foreword-store-'))
  context.after(() => rm(folder, { recursive: true, force: true }))
  const path = join(folder, 'store.sqlite')
  const store = await openSqliteStore({ path })
  const tokens = { counter: 'chars@1', full: 1, least: 1 }
  const message = { role: 'user', content: 'my diary, '.repeat(2_000) } as const
  await store.append(
    's',
    [{ type: 'session-start' }, { type: 'input', turn: 't', message, tokens }],
    '2026-01-01T00:00:00.000Z',
  )
  await store.close()
  assert.ok((await readFile(path)).includes('my diary'))
  const again = await openSqliteStore({ path })
  assert.equal(await again.deleteSession('s'), true)
  await again.close()
  assert.ok(!(await readFile(path)).includes('my diary'))
})
