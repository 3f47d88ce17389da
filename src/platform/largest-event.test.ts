import assert from 'node:assert/strict'
import test from 'node:test'
import { largestEvent } from './largest-event.ts'

for (const [what, form, pieces, largest] of [
  ['a blank line ends an event', 'events', ['data: a\n\n', 'data: bcd\n\n'], 11],
  ['so does one of Windows', 'events', ['data: a\r\n\r\n', 'x\r\n\r\n'], 11],
  ['wherever it is cut', 'events', ['data: a\r\n\r', '\nx\r\n', '\r\n'], 11],
  ['several lines are one event', 'events', ['data: a\ndata: b\n\n'], 17],
  ['an event grows from piece to piece', 'events', ['data: ', 'x'.repeat(100)], 106],
  ['each line is an event of its own', 'lines', ['{"a":1}\n{"b":22}\n', '{}\n'], 9],
] as const) {
  test(`${what}: ${JSON.stringify(pieces).slice(0, 60)}`, () => {
    const size = largestEvent(form)
    assert.equal(Math.max(...pieces.map((piece) => size(new TextEncoder().encode(piece)))), largest)
  })
}
