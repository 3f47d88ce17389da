import assert from 'node:assert/strict'
import { DatabaseSync } from 'node:sqlite'
import { test } from 'node:test'
import {
  array,
  assert as assertProperty,
  asyncProperty,
  constantFrom,
  dictionary,
  integer,
  record,
  uniqueArray,
} from 'fast-check'
import { temporaryStore } from '../../../test/session/temporary-store.ts'
import type { Manifest, ManifestEntry } from '../../context.ts'
import { systemClock } from '../../platform.ts'
import type { CallRecord } from '../call.ts'
import { openStoreFile } from '../sqlite/open-sqlite-store.ts'

const time = '2026-01-01T00:00:00.000Z'

const fields = dictionary(constantFrom('a', 'b', 'cut', 'base'), constantFrom(1, 'x', [1], { y: null }), {
  noNullPrototype: true,
})
const accounts = array(
  record({
    turn: constantFrom('t1', 't2', undefined),
    input: fields,
    account: fields,
    entries: uniqueArray(integer({ min: 0, max: 12 })),
  }),
  { minLength: 1, maxLength: 40 },
)

type Account = { turn: string | undefined; input: object; account: object; entries: readonly number[] }

test('every call is read as it was put, by each way and after a restart, though few are written whole', async (context) => {
  await assertProperty(
    asyncProperty(accounts, async (all) => {
      const path = await temporaryStore(context)
      let store = await openStoreFile({ clock: systemClock, path })
      await store.append('s', [{ type: 'session-start' }], time)
      const calls = all.map((each, index) => call(`c${index}`, each))
      for (const [index, each] of calls.entries()) {
        if (index === 20) {
          await store.close()
          store = await openStoreFile({ clock: systemClock, path })
        }
        await store.putCall(each)
      }
      assert.deepEqual(await store.calls('s'), calls)
      assert.deepEqual(await store.calls('s', { last: 3 }), calls.slice(-3))
      assert.deepEqual(await store.findCalls({ limit: 5 }), calls.slice(-5).toReversed())
      const sums = await store.callSums({ session: 's', limit: 100, records: true })
      assert.deepEqual(
        sums.map((sum) => sum.record),
        calls,
      )
      for (const each of calls) assert.deepEqual(await store.call(each.id), each)
      assert.deepEqual(await Array.fromAsync(store.damage()), [])
      await store.close()
    }),
    { numRuns: 25 },
  )
})

test('the account of a long conversation is written once, and then what each call adds to it', async (context) => {
  const path = await temporaryStore(context)
  const store = await openStoreFile({ clock: systemClock, path })
  await store.append('s', [{ type: 'session-start' }], time)
  const turns = (count: number) => Array.from({ length: count }, (_, index) => index)
  for (const more of turns(20)) await store.putCall(call(`c${more}`, { ...plain, entries: turns(500 + more) }))
  await store.close()
  const sizes = new DatabaseSync(path, { readOnly: true })
    .prepare('select length(record) as length from calls order by number')
    .all()
  assert.ok(Number(sizes[0]!['length']) > 20_000)
  for (const { length } of sizes.slice(1)) assert.ok(Number(length) < 500, String(length))
})

test('a call that was refused, and one of a session that was deleted, are nothing to refer to', async (context) => {
  const path = await temporaryStore(context)
  const store = await openStoreFile({ clock: systemClock, path })
  await store.append('s', [{ type: 'session-start' }], time)
  const all = Array.from({ length: 50 }, (_, index) => index)
  await store.putCall(call('c1', { ...plain, entries: all }))
  const other = call('c1', { ...plain, entries: all.toReversed() })
  const next = call('c2', { ...plain, entries: all.toReversed() })
  await Promise.all([assert.rejects(store.putCall(other), { code: 'conflict' }), store.putCall(next)])
  assert.deepEqual(await store.call('c2'), next)
  await store.deleteSession('s')
  await store.append('s', [{ type: 'session-start' }], time)
  await store.putCall(next)
  assert.deepEqual(await store.calls('s'), [next])
  await store.close()
})

const plain: Account = { turn: 't1', input: { a: 1 }, account: {}, entries: [] }

function call(id: string, { turn, input, account, entries }: Account): CallRecord {
  const manifest = {
    ...account,
    used: entries.length,
    entries: entries.map(
      (number) => ({ id: `turn_${number}`, layer: 'turn', slot: 'history', tokens: number }) as ManifestEntry,
    ),
  } as unknown as Manifest
  const of = { id, session: 's', ...(turn !== undefined && { turn }) }
  return { ...of, time, model: 'rehearsal', input, manifest, requestDigest: `digest of ${id}` }
}
