import assert from 'node:assert/strict'
import test from 'node:test'
import { exportSession, importSession, openStore } from '../session.ts'
import { systemClock } from '../platform.ts'

const time = '2026-01-01T00:00:00.000Z'
const tokens = { counter: 'chars@1', full: 1, least: 1 }

test('an export and an import let everybody else run before they are done', async (context) => {
  const store = await openStore({ clock: systemClock, path: ':memory:' })
  const other = await openStore({ clock: systemClock, path: ':memory:' })
  context.after(() => Promise.all([store.close(), other.close()]))
  const inputs = Array.from({ length: 20 }, (_, index) => {
    const message = { role: 'user', content: `question ${index}` } as const
    return { type: 'input', turn: `t${index}`, message, tokens } as const
  })
  await store.append('a', [{ type: 'session-start' }, ...inputs], time)

  const lines: string[] = []
  const seen: number[] = []
  setImmediate(() => seen.push(lines.length))
  for await (const line of exportSession(store, 'a')) {
    lines.push(line)
    busy()
  }
  assert.equal(lines.length, 23)
  assert.ok(seen[0]! < 5, `after ${seen[0]} lines`)

  let read = 0
  setImmediate(() => seen.push(read))
  const slowly = lines.values().map((line) => {
    busy()
    read += 1
    return line
  })
  assert.equal(await importSession(other, slowly), 'a')
  assert.ok(seen[1]! < 5, `after ${seen[1]} lines`)
  assert.deepEqual(await other.entries('a'), await store.entries('a'))
})

/** Works for longer than one stretch may be. */
function busy(): void {
  const until = performance.now() + 12
  while (performance.now() < until);
}
