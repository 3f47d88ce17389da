import assert from 'node:assert/strict'
import test from 'node:test'
import { array, assert as always, integer, property, string } from 'fast-check'
import { messageLines } from './program-transport.ts'

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
