import assert from 'node:assert/strict'
import test from 'node:test'
import { array, assert as always, integer, property, string } from 'fast-check'
import { clockOf, systemClock } from '../../platform.ts'
import { messageLines, programTransport } from './program-transport.ts'

test('lines come out whole, wherever the stream was cut', () => {
  const lines = array(string({ unit: 'grapheme' }).map((line) => line.replaceAll('\n', '')))
  always(
    property(lines, integer({ min: 1, max: 9 }), (said, step) => {
      const received: string[] = []
      const hear = messageLines(10_000, (line) => received.push(line))
      const bytes = Buffer.from(said.map((line) => `${line}\n`).join(''))
      for (let from = 0; from < bytes.length; from += step) assert.equal(hear(bytes.subarray(from, from + step)), true)
      assert.deepEqual(received, said)
    }),
  )
})

test('a line that is too long ends it, however it comes', () => {
  for (const chunks of [['abcdef'], ['abc', 'def'], ['abcdef\n'], ['ok\nabcdef']]) {
    const hear = messageLines(5, (line) => assert.equal(line, 'ok'))
    assert.equal(chunks.map((chunk) => hear(Buffer.from(chunk))).at(-1), false)
    assert.equal(hear(Buffer.from('\nlater\n')), false)
  }
})

test('other work comes between the arrival of a long message and its parsing', async () => {
  const order: string[] = []
  const clock = clockOf({
    ...systemClock,
    soon: (work) =>
      systemClock.soon(() => {
        order.push('other work')
        work()
      }),
  })
  const program = `process.stdout.write('{"at":1}\\n{"at":"' + 'x'.repeat(100_000) + '"}\\n')`
  const codec = {
    deserializeMessage(line: string) {
      order.push(line.length > 50_000 ? 'long' : 'short')
      return JSON.parse(line) as never
    },
    serializeMessage: String,
  }
  const address = { type: 'program', argv: [process.execPath, '-e', program], environment: {}, sandbox: 'off' } as never
  const transport = programTransport(clock, address, codec, 1_000_000)
  const closed = new Promise<void>((resolve) => Object.assign(transport, { onmessage() {}, onclose: resolve }))
  await transport.start()
  await closed
  assert.deepEqual(order.slice(order.indexOf('short'), order.indexOf('long') + 1), [
    'short',
    'other work',
    'other work',
    'long',
  ])
})

test('of a thousand messages in one moment each is read once, in order, and other work comes between any two that take long', async () => {
  const order: string[] = []
  let now = 0
  // Each message takes 6 ms, so that two of them are a slice.
  const clock = clockOf({
    ...systemClock,
    monotonic: () => now,
    soon(work) {
      systemClock.soon(() => {
        order.push('other work')
        work()
      })
    },
  })
  const program = `process.stdout.write(Array.from({ length: 1000 }, (_, at) => '{"at":' + at + '}\\n').join(''))`
  const codec = { deserializeMessage: (line: string) => JSON.parse(line) as never, serializeMessage: String }
  const address = { type: 'program', argv: [process.execPath, '-e', program], environment: {}, sandbox: 'off' } as never
  const transport = programTransport(clock, address, codec, 1_000_000)
  const read: number[] = []
  const closed = new Promise<void>((resolve) => {
    Object.assign(transport, {
      onmessage(message: { readonly at: number }) {
        now += 6
        read.push(message.at)
        order.push('message')
      },
      onclose: resolve,
    })
  })
  await transport.start()
  await closed
  assert.deepEqual(
    read,
    Array.from({ length: 1000 }, (_, at) => at),
  )
  const together = order.join(' ').split(/ ?other work ?/)
  assert.ok(Math.max(...together.map((each) => each.split(' ').length)) <= 2)
})
