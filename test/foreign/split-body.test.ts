import assert from 'node:assert/strict'
import test from 'node:test'
import { gzipSync } from 'node:zlib'
import * as fc from 'fast-check'
import { splitBody } from '../../src/foreign.ts'
import { forAll } from '../arbitrary/for-all.ts'
import { keepSession } from './kept-session.ts'
import { recordedCalls } from './recorded-calls.ts'

const bytesOf = (value: unknown) => new TextEncoder().encode(typeof value === 'string' ? value : JSON.stringify(value))

const textsOf = (body: unknown) => splitBody(bytesOf(body)).map((part) => Buffer.from(part).toString())

function assertWhole(bytes: Uint8Array): void {
  const parts = splitBody(bytes)
  assert.equal(Buffer.compare(Buffer.concat(parts), bytes), 0)
  assert.ok(parts.every((part) => part.length > 0 && part.length <= 65_536))
}

test('the parts of a body are the body, whatever bytes it has', () => {
  forAll(fc.uint8Array({ maxLength: 3_000 }), assertWhole)
  const piece = fc.oneof(
    fc.constantFrom(
      '[',
      ']',
      '{',
      '}',
      ',',
      '"',
      '\\',
      '\\"',
      ':',
      ' ',
      '{"messages":[',
      'a'.repeat(600),
      'b'.repeat(1_100),
    ),
    fc.string(),
  )
  forAll(
    fc.array(piece, { maxLength: 40 }).map((texts) => bytesOf(texts.join(''))),
    assertWhole,
  )
  forAll(fc.json().map(bytesOf), assertWhole)
  for (const name of ['claude-code-session', 'codex-session'])
    for (const { body } of recordedCalls(name)) assertWhole(bytesOf(body))
  assertWhole(gzipSync(bytesOf('word '.repeat(100_000))))
})

test('a body is cut between the elements of its lists, and around long texts', () => {
  const long = 'x'.repeat(2_000)
  const body = {
    model: 'm',
    messages: [{ content: long }, { content: 'short' }, { content: [{ text: long, cache_control: {} }] }],
    tools: ['a', 'b'],
  }
  assert.deepEqual(textsOf(body), [
    '{"model":"m","messages":[',
    '{"content":',
    `"${long}"`,
    '},{"content":"short"},{"content":[{"text":',
    `"${long}"`,
    ',"cache_control":{}}]}',
    '],"tools":[',
    '"a","b"',
    ']}',
  ])
})

test('a quote within a text and a bracket within a text cut nothing', () => {
  const body = { messages: [`${'"],['.repeat(200)}\\`, 'end'] }
  assert.deepEqual(textsOf(body), ['{"messages":[', JSON.stringify(body.messages[0]), ',"end"', ']}'])
})

test('a session of 100 calls whose last body has 2 MB is kept in less than 3 MB', () => {
  const { sentBytes, largestBytes, keptBytes } = keepSession(100, 20_000)
  assert.ok(largestBytes > 2_000_000 && sentBytes > 90_000_000, `${largestBytes} and ${sentBytes} bytes`)
  assert.ok(keptBytes < 3_000_000, `${keptBytes} bytes`)
})
