import assert from 'node:assert/strict'
import test from 'node:test'
import type { GatewayConnection } from '../../capability.ts'
import { fetchCallsSince, type SessionViewCall } from './session-view.ts'

const time = (second: number) => new Date(Date.UTC(2026, 0, 5, 10, 0, second)).toISOString()

test('every call since a time is read, page after page, also where those of other programs are between them', async () => {
  const calls = Array.from({ length: 3_500 }, (_, number) => ({
    id: `call-${number}`,
    time: time(number),
    token: number % 2 === 0 ? 'own' : 'other',
  })).toReversed()
  const asked: string[] = []
  const connection = {
    fetch: async (path: string) => {
      asked.push(path)
      const before = new URL(path, 'http://localhost').searchParams.get('before')
      const from = before === null ? 0 : calls.findIndex(({ id }) => id === before) + 1
      return Response.json({ calls: calls.slice(from, from + 1_000) })
    },
  } as unknown as GatewayConnection
  const read = async (since: string): Promise<readonly SessionViewCall[]> => fetchCallsSince(connection, since)

  assert.deepEqual(
    (await read(time(1_000))).map(({ id }) => id),
    calls.slice(0, 2_500).map(({ id }) => id),
  )
  assert.equal(asked.length, 3, 'no page behind the one in which the run began')
  assert.equal((await read(time(0))).length, 3_500)
  assert.deepEqual(await read(time(4_000)), [])
})
