import assert from 'node:assert/strict'
import { test } from 'node:test'
import { contentHash } from '../content.ts'
import { openStoreConnection } from './connection.ts'
import { putContent } from './content-table.ts'
import { openStoreFile } from './open-sqlite-store.ts'
import { putValue } from './value-table.ts'
import { createWriteQueue } from './write-queue.ts'
import { temporaryStore } from '../../../test/session/temporary-store.ts'

const time = '2026-01-01T00:00:00.000Z'

test('when there is no room, what does not fit is refused and what fits is written', async (context) => {
  const path = await temporaryStore(context)
  const store = await openStoreFile({ path, maxBytes: 400_000 })
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

test('a store that another process has locked fails with `busy`, and works again when it is free', async (context) => {
  const path = await temporaryStore(context)
  const store = await openStoreFile({ path, busyTimeoutMs: 10 })
  const other = openStoreConnection({ path })
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
  const store = await openStoreFile({ path, busyTimeoutMs: 10 })
  const other = openStoreConnection({ path })
  other.execute('begin immediate')
  await assert.rejects(store.putContent('text'), { code: 'busy' })
  other.execute('rollback')
  other.close()
  assert.equal(await store.content(await store.putContent('text')), 'text')
  await store.close()
})

test('two large writes of one moment are two transactions, and the small ones go with them', async (context) => {
  const path = await temporaryStore(context)
  await (await openStoreFile({ path })).close()
  const connection = openStoreConnection({ path })
  const reader = await openStoreFile({ path, readOnly: true })
  const [one, other] = ['x'.repeat(1_500_000), 'y'.repeat(1_500_000)]
  const onDisk = () =>
    Promise.all([reader.value('before'), reader.content(contentHash(one)), reader.content(contentHash(other))])
  // The store hashes a text before it waits here, for as long as a busy machine likes.
  const queue = createWriteQueue(connection)
  const large = (text: string) =>
    queue.push(() => putContent(connection, text, contentHash(text)), { characters: text.length })
  const writes = [
    queue.push(() => putValue(connection, 'before', 1)),
    large(one).then(onDisk),
    large(other),
    queue.push(() => putValue(connection, 'behind', 2)),
  ]
  const [, between] = await Promise.all(writes)
  assert.deepEqual(between, [1, one, undefined])
  assert.deepEqual(await onDisk(), [1, one, other])
  assert.equal(await reader.value('behind'), 2)
  await reader.close()
  connection.close()
})

test('what waits is written when the store is closed, large or not', async (context) => {
  const path = await temporaryStore(context)
  const store = await openStoreFile({ path })
  await store.append('a', [{ type: 'session-start' }], time)
  const turn = (id: string, content: string) =>
    store.append('a', [{ type: 'input', turn: id, message: { role: 'user', content }, tokens: counts }], time)
  const written = [turn('t1', 'x'.repeat(1_100_000)), turn('t2', 'y'.repeat(1_100_000)), turn('t3', 'z')]
  await store.close()
  await Promise.all(written)
  const again = await openStoreFile({ path })
  assert.deepEqual(
    (await again.entries('a')).map(({ type }) => type),
    ['session-start', 'input', 'input', 'input'],
  )
  await again.close()
})

test('a large write that does not fit is refused alone', async (context) => {
  const path = await temporaryStore(context)
  const store = await openStoreFile({ path, maxBytes: 2_500_000 })
  const outcomes = await Promise.allSettled([
    store.putContent('x'.repeat(1_100_000)),
    store.putContent('y'.repeat(9_000_000)),
    store.putValue('small', 1),
  ])
  assert.deepEqual(
    outcomes.map((outcome) => (outcome.status === 'rejected' ? outcome.reason.code : 'written')),
    ['written', 'full', 'written'],
  )
  await store.close()
})

const counts = { counter: 'chars@1', full: 1, least: 1 }
