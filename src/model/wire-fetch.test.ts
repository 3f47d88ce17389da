import assert from 'node:assert/strict'
import { test } from 'node:test'
import { systemClock } from '../platform.ts'
import { answerFilter } from '../wire.ts'
import { wireFetch } from './wire-fetch.ts'

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
