import assert from 'node:assert/strict'
import test from 'node:test'
import { createPairingGate } from './pairing-gate.ts'

test('a crowd of strangers is answered slowly, and who was not answered is told later', async () => {
  const said: number[] = []
  let now = 0
  const { tell } = createPairingGate({
    username: 'a_bot',
    pairings: { redeem: async () => false },
    say: async ({ chat }) => void said.push(chat),
    now: () => now,
  })
  for (let chat = 1; chat <= 500; chat += 1) await tell({ chat })
  assert.equal(said.length, 20)
  now = 3_000
  await tell({ chat: 500 })
  assert.deepEqual(said.slice(20), [500])
})

test('a wrong code is answered in a crowd no more than anything else, and counts all the same', async () => {
  const said: string[] = []
  let tries = 0
  const { hear } = createPairingGate({
    username: 'a_bot',
    pairings: { redeem: async () => (tries += 1) < 0 },
    say: async (_, text) => void said.push(text),
    now: () => 0,
  })
  for (let chat = 1; chat <= 100; chat += 1) {
    const message = {
      type: 'message',
      update: chat,
      place: { chat },
      messageId: 1,
      title: '',
      addressed: true,
    } as const
    await hear({ ...message, speaker: { name: 'Bob' }, text: '/pair AAAA-BBBB', files: [] })
  }
  assert.deepEqual([tries, said.length], [100, 20])
})
