import assert from 'node:assert/strict'
import test from 'node:test'
import { createPairingGate } from './access.ts'

test('a crowd of strangers is answered slowly, and a chat without an answer gets one later', async () => {
  const said: number[] = []
  let now = 0
  const { explain } = createPairingGate({
    username: 'a_bot',
    pairings: { redeem: async () => false },
    say: async ({ id: chat }) => void said.push(chat),
    now: () => now,
  })
  for (let chat = 1; chat <= 500; chat += 1) await explain({ id: chat })
  assert.equal(said.length, 20)
  now = 3_000
  await explain({ id: 500 })
  assert.deepEqual(said.slice(20), [500])
})

test('in a crowd, answers to wrong codes are limited like all others, and every try counts', async () => {
  const said: string[] = []
  let tries = 0
  const { redeem } = createPairingGate({
    username: 'a_bot',
    pairings: { redeem: async () => (tries += 1) < 0 },
    say: async (_, text) => void said.push(text),
    now: () => 0,
  })
  for (let chat = 1; chat <= 100; chat += 1) {
    const message = {
      type: 'message',
      update: chat,
      chat: { id: chat },
      messageId: 1,
      title: '',
      addressed: true,
    } as const
    await redeem({ ...message, speaker: { name: 'Bob' }, text: '/pair AAAA-BBBB', files: [] })
  }
  assert.deepEqual([tries, said.length], [100, 20])
})
