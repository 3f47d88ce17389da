import assert from 'node:assert/strict'
import { test } from 'node:test'
import { clockOf, LONG_TEXT, sha256, systemClock } from '../platform.ts'
import { answerFilter } from '../wire.ts'
import { wireFetch, withWireListener } from './wire-fetch.ts'

/** The text of an answer whose connection is reset behind this chunk. */
async function readUntilReset(chunk: object): Promise<string> {
  const frames = [`data: ${JSON.stringify(chunk)}\n\n`]
  const fetch = wireFetch(
    systemClock,
    async () =>
      new Response(
        new ReadableStream({
          pull(controller) {
            const frame = frames.shift()
            if (frame === undefined) controller.error(new Error('reset'))
            else controller.enqueue(new TextEncoder().encode(frame))
          },
        }),
      ),
    'events',
    () => answerFilter('chat-completions'),
  )
  return (await fetch('http://127.0.0.1/v1/chat/completions', { method: 'POST', body: '{}' })).text()
}

test('a reset after the reason to end loses nothing, and one before it is an error', async () => {
  const choice = { index: 0, delta: { content: 'Hello' } }
  assert.match(await readUntilReset({ choices: [{ ...choice, finish_reason: 'stop' }] }), /"content":"Hello"/)
  await assert.rejects(readUntilReset({ choices: [choice] }), /reset/)
})

test('a long body is made, hashed and sent in pieces of work, and is what a short one would be', async () => {
  let now = 0
  let rests = 0
  // Each look at the clock takes as long as a slice.
  const clock = clockOf({
    ...systemClock,
    monotonic: () => (now += 11),
    soon(work) {
      rests += 1
      systemClock.soon(work)
    },
  })
  const text = `${'x'.repeat(LONG_TEXT - 1)}😀\ud800é${'y'.repeat(10 * LONG_TEXT)}`
  const sent: { bytes?: Uint8Array; hash?: string } = {}
  const fetch = wireFetch(clock, async (_, init) => {
    sent.bytes = init!.body as Uint8Array
    return new Response('data: {}\n\n')
  })
  const listener = { left: (wire: { sha256: string }) => void (sent.hash = wire.sha256), onTooLarge() {} }
  await withWireListener(listener, () => fetch('http://127.0.0.1/v1', { method: 'POST', body: text }))
  const plain = new TextEncoder().encode(text)
  assert.ok(Buffer.from(sent.bytes!).equals(plain))
  assert.equal(sent.hash, sha256(plain))
  assert.ok(rests > 2 * 11, `${rests}`)
})
