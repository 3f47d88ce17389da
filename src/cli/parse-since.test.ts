import assert from 'node:assert/strict'
import test from 'node:test'
import { parseSince } from './parse-since.ts'

const now = Date.parse('2026-01-31T12:00:00.000Z')

test('a span is counted back from now, a time is taken as it is', (context) => {
  const zone = process.env.TZ
  process.env.TZ = 'Asia/Kolkata'
  context.after(() => (zone === undefined ? delete process.env.TZ : (process.env.TZ = zone)))
  for (const [text, time] of [
    ['90s', '2026-01-31T11:58:30.000Z'],
    ['30m', '2026-01-31T11:30:00.000Z'],
    ['1.5h', '2026-01-31T10:30:00.000Z'],
    ['3d', '2026-01-28T12:00:00.000Z'],
    ['1w', '2026-01-24T12:00:00.000Z'],
    ['2026-01-30', '2026-01-29T18:30:00.000Z'],
    ['2026-01-30T10:00', '2026-01-30T04:30:00.000Z'],
    ['2026-01-30T10:00Z', '2026-01-30T10:00:00.000Z'],
    ['2026-01-30T10:00:00.5+02:00', '2026-01-30T08:00:00.500Z'],
  ] as const) {
    assert.equal(parseSince(text, now), time, text)
  }
})

test('what is neither is refused', () => {
  for (const text of [
    'yesterday',
    '2',
    '2y',
    '-2h',
    '2026',
    '2026-13-01',
    '2026-01-32T00:00Z',
    '99999999d',
    '1e400h',
  ]) {
    assert.throws(() => parseSince(text, now), { code: 'usage', message: /--since/ }, text)
  }
})
