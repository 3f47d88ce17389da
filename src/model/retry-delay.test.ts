import assert from 'node:assert/strict'
import { test } from 'node:test'
import { toModelError } from './provider-failure.ts'

const NOW = Date.parse('2026-11-28T12:00:00Z')

function waitFor(headers: Readonly<Record<string, string>>, message = 'Slow down.'): number | undefined {
  const error = { statusCode: 429, responseHeaders: headers, responseBody: JSON.stringify({ error: { message } }) }
  return toModelError(error, { provider: 'p', model: 'm', secrets: [] }, NOW).facts.retryAfterMs
}

for (const [name, headers, wait] of [
  ['seconds', { 'retry-after': '20' }, 20_000],
  ['a part of a second', { 'retry-after': '0.5' }, 500],
  ['ms', { 'retry-after-ms': '1500' }, 1500],
  ['a date', { 'retry-after': 'Sat, 28 Nov 2026 12:01:00 GMT' }, 60_000],
  ['the time in seconds', { 'retry-after': String(NOW / 1000 + 30) }, 30_000],
  ['the time in ms', { 'retry-after': String(NOW + 30_000) }, 30_000],
  ['the time in ms as ms', { 'retry-after-ms': String(NOW + 30_000) }, 30_000],
  ['more than a day', { 'retry-after': '99999999999999' }, undefined],
  ['a date long ago', { 'retry-after': 'Sat, 28 Nov 2020 12:00:00 GMT' }, undefined],
  ['less than nothing', { 'retry-after': '-5', 'retry-after-ms': '0' }, undefined],
  ['no time', { 'retry-after': 'soon' }, undefined],
] as const) {
  test(`a wait that is given as ${name}`, () => assert.equal(waitFor(headers), wait))
}

test('a wait that only the sentence names is read, and a wrong header leaves it its place', () => {
  assert.equal(waitFor({ 'retry-after': '99999999999999' }, 'Please try again in 7.5s.'), 7500)
  assert.equal(waitFor({}, 'Please try again in 120 ms.'), 120)
})
