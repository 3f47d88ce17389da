import assert from 'node:assert/strict'
import test from 'node:test'
import { fixedClock } from '../../testing.ts'
import type { McpConnection } from './connection.ts'
import { listedConnection } from './server.ts'

test('a server that announces changes without end is asked for its tools once a second, and a call sees the last of them', async () => {
  const clock = fixedClock()
  let lists = 0
  const connection: McpConnection = {
    list: async () => {
      lists += 1
      return { tools: [], isAll: true }
    },
    call: () => assert.fail(),
    ended: new Promise(() => {}),
    close: async () => assert.fail('it was closed'),
  }
  const listed = listedConnection(clock, 's', connection, 10_000, async () => {})
  await listed.listed()
  for (let time = 0; time < 20_000; time++) listed.listAgain()
  const call = listed.listed()
  await clock.advance(999)
  assert.equal(lists, 2)
  await clock.advance(1)
  await call
  assert.equal(lists, 3)
})
