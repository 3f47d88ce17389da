import assert from 'node:assert/strict'
import test from 'node:test'
import { parseTraceparent, readTraceparent } from './traceparent.ts'

const trace = '4bf92f3577b34da6a3ce929d0e0e4736'
const span = '00f067aa0ba902b7'

test('a traceparent names the trace, the parent and whether the trace is recorded', () => {
  assert.deepEqual(parseTraceparent(`00-${trace}-${span}-01`), { traceId: trace, spanId: span, sampled: true })
  assert.equal(parseTraceparent(`00-${trace}-${span}-00`)!.sampled, false)
  assert.equal(readTraceparent(` 00-${trace.toUpperCase()}-${span}-01 `), `00-${trace}-${span}-01`)
})

test('what is no traceparent of version 00, or names nothing, is none', () => {
  for (const header of [
    null,
    undefined,
    '',
    `01-${trace}-${span}-01`,
    `00-${trace}-${span}`,
    `00-${trace}-${span}-01-more`,
    `00-${'0'.repeat(32)}-${span}-01`,
    `00-${trace}-${'0'.repeat(16)}-01`,
    `00-${trace.slice(1)}-${span}-01`,
  ]) {
    assert.equal(readTraceparent(header), undefined)
  }
})
