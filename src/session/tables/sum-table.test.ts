import assert from 'node:assert/strict'
import { test } from 'node:test'
import { temporaryStore } from '../../../test/session/temporary-store.ts'
import { openStoreConnection } from '../sqlite/connection.ts'
import { openStoreFile } from '../sqlite/open-sqlite-store.ts'
import { systemClock } from '../../platform.ts'

test('other work runs while the results of tools of a long time are added up, and each is counted once', async (context) => {
  const path = await temporaryStore(context)
  const store = await openStoreFile({ clock: systemClock, path })
  await store.append('a', [{ type: 'session-start' }], '2026-01-01T00:00:00.000Z')
  const connection = openStoreConnection({ clock: systemClock, path })
  // 30,000 results, of which 12,000 have the same time.
  connection.execute(`
    with recursive numbers (n) as (select 0 union all select n + 1 from numbers where n < 29999)
    insert into tool_sums
      select 'a', n, 0, printf('2026-01-%02dT00:00:00.000Z', case when n < 12000 then 1 else 1 + n % 20 end),
        'tool_' || (n % 3), 2 from numbers`)
  connection.close()
  const adding = { isDone: false }
  let meanwhile = 0
  const sums = store.toolSums({}).finally(() => (adding.isDone = true))
  while (!adding.isDone) {
    await new Promise((resolve) => setImmediate(resolve))
    meanwhile += 1
  }
  assert.deepEqual(
    await sums,
    ['tool_0', 'tool_1', 'tool_2'].map((tool) => ({ tool, results: 10_000, tokens: 20_000 })),
  )
  assert.ok(meanwhile > 2, `${meanwhile} times`)
  const first = { from: '2026-01-01T00:00:00.000Z', before: '2026-01-02T00:00:00.000Z' }
  const counted = (await store.toolSums(first)).map(({ results }) => results)
  assert.equal(counted[0]! + counted[1]! + counted[2]!, 12_900)
  await store.close()
})
