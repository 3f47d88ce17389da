import assert from 'node:assert/strict'
import { test } from 'node:test'
import { openStoredInbox } from '../../src/runtime/channels/stored-inbox.ts'
import { openStore } from '../../src/session.ts'
import { fixedClock } from '../../src/testing.ts'

test('what came in waits in the store until it is handled, once, also where two put it in', async (t) => {
  const clock = fixedClock()
  const store = await openStore({ path: ':memory:', clock })
  t.after(() => store.close())
  const [one, other] = [openStoredInbox(store, 'telegram', clock), openStoredInbox(store, 'telegram', clock)]
  // All at once: each is there, and none twice.
  const accepted = await Promise.all(
    [1, 2, 3, 4].flatMap((number) =>
      [one, other].map((inbox) => inbox.accept(String(number), { number }).then((isNew) => (isNew ? number : 0))),
    ),
  )
  assert.deepEqual(
    accepted.filter((number) => number > 0).toSorted((a, b) => a - b),
    [1, 2, 3, 4],
  )
  const waiting = await other.waiting()
  assert.deepEqual(waiting.map(({ id }) => id).toSorted(), ['1', '2', '3', '4'])
  await one.done('2')
  assert.equal(await other.accept('2', { number: 2 }), false)
  assert.deepEqual((await other.waiting()).map(({ id }) => id).toSorted(), ['1', '3', '4'])
  // Nothing of it is in the inbox of another channel.
  assert.deepEqual(await openStoredInbox(store, 'other', clock).waiting(), [])
  assert.equal(JSON.stringify(await store.value('inbox/telegram')).includes('"number":2'), false)
})
