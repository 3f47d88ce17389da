import assert from 'node:assert/strict'
import { test } from 'node:test'
import { openConnection } from './connection.ts'
import { openSqliteStore } from './open-sqlite-store.ts'
import { temporaryStore } from '../../../test/session/temporary-store.ts'

const time = '2026-01-01T00:00:00.000Z'

test('when there is no room, what does not fit is refused and what fits is written', async (context) => {
  const path = await temporaryStore(context)
  const store = await openSqliteStore({ path, maxBytes: 400_000 })
  await store.append('a', [{ type: 'session-start' }], time)
  const outcomes = await Promise.allSettled([
    store.putValue('small', 'x'),
    store.putContent('y'.repeat(1_000_000)),
    store.append('a', [{ type: 'model', model: 'rehearsal' }], time),
  ])
  assert.deepEqual(
    outcomes.map((outcome) => (outcome.status === 'rejected' ? outcome.reason.code : 'written')),
    ['written', 'full', 'written'],
  )
  assert.equal(await store.value('small'), 'x')
  assert.equal((await store.session('a'))?.model, 'rehearsal')
  await store.close()
})

test('a store that another process holds says so, and goes on when it is free', async (context) => {
  const path = await temporaryStore(context)
  const store = await openSqliteStore({ path, busyTimeoutMs: 10 })
  const other = openConnection({ path })
  other.execute('begin immediate')
  const refused = await Promise.allSettled([
    store.append('a', [{ type: 'session-start' }], time),
    store.putValue('k', 1),
  ])
  assert.deepEqual(
    refused.map((outcome) => outcome.status === 'rejected' && outcome.reason.code),
    ['busy', 'busy'],
  )
  assert.equal(await store.session('a'), undefined)
  other.execute('rollback')
  other.close()
  await store.append('a', [{ type: 'session-start' }], time)
  assert.equal((await store.session('a'))?.entries, 1)
  await store.close()
})

test('a text that could not be written is tried again', async (context) => {
  const path = await temporaryStore(context)
  const store = await openSqliteStore({ path, busyTimeoutMs: 10 })
  const other = openConnection({ path })
  other.execute('begin immediate')
  await assert.rejects(store.putContent('text'), { code: 'busy' })
  other.execute('rollback')
  other.close()
  assert.equal(await store.content(await store.putContent('text')), 'text')
  await store.close()
})
