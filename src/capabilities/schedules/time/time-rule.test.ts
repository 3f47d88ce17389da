import assert from 'node:assert/strict'
import test from 'node:test'
import { dueTimes, wallTime, parseTimeRule } from './time-rule.ts'

const BERLIN = 'Europe/Berlin'
const NEW_YORK = 'America/New_York'

test('words and five fields of cron mean what they say', () => {
  const means: Readonly<Record<string, readonly string[]>> = {
    'every day at 8:30': ['2026-01-02T08:30', '2026-01-03T08:30'],
    'daily at 8pm': ['2026-01-01T20:00', '2026-01-02T20:00'],
    'every weekday at 8': ['2026-01-02T08:00', '2026-01-05T08:00'],
    'Every Monday and Thursday at 18:00': ['2026-01-01T18:00', '2026-01-05T18:00'],
    'every weekend at noon': ['2026-01-03T12:00', '2026-01-04T12:00'],
    'every 15 minutes': ['2026-01-01T12:15', '2026-01-01T12:30'],
    'every 2 hours': ['2026-01-01T14:00', '2026-01-01T16:00'],
    'every hour': ['2026-01-01T13:00', '2026-01-01T14:00'],
    'on the first of the month at 9': ['2026-02-01T09:00', '2026-03-01T09:00'],
    'on the last day of the month at 9:05': ['2026-01-31T09:05', '2026-02-28T09:05'],
    'on the 15th of every month at midnight': ['2026-01-15T00:00', '2026-02-15T00:00'],
    'at 2026-12-01 09:00': ['2026-12-01T09:00', 'never'],
    '30 8 * * 1-5': ['2026-01-02T08:30', '2026-01-05T08:30'],
    '*/20 * * * *': ['2026-01-01T12:20', '2026-01-01T12:40'],
  }
  const found = Object.keys(means).map((words) => [words, due(words, 'UTC', '2026-01-01T12:00:00Z', 2)])
  assert.deepEqual(Object.fromEntries(found), means)
})

test('what is not understood is refused with examples, and never taken for something else', () => {
  const refused = [
    '', 'soon', 'every day', 'every day at 25', 'every 0 minutes', 'every 3 days', 'every 100 hours', 'at 2026-02-30 09:00',
    'on the 32nd of the month at 9', '61 * * * *', '* * * * * *', '@daily', '0 0 30 2 *', 'every someday at 8', 'every day at 13pm',
  ] // prettier-ignore
  for (const words of refused) {
    assert.throws(() => parseTimeRule(words), { code: 'invalid-input', hint: /every weekday at 8/ }, words)
  }
})

test('a daily time comes once a day, at the same time of the clocks, whatever they do', () => {
  // 2026-03-29: 02:00 becomes 03:00. 2026-10-25: 03:00 becomes 02:00.
  assert.deepEqual(moments('every day at 8', BERLIN, '2026-03-28T00:00:00Z', 3), [
    '2026-03-28T07:00:00.000Z',
    '2026-03-29T06:00:00.000Z',
    '2026-03-30T06:00:00.000Z',
  ])
  // 2026-03-08: 02:00 becomes 03:00. 2026-11-01: 02:00 becomes 01:00.
  assert.deepEqual(moments('every day at 8', NEW_YORK, '2026-10-31T00:00:00Z', 3), [
    '2026-10-31T12:00:00.000Z',
    '2026-11-01T13:00:00.000Z',
    '2026-11-02T13:00:00.000Z',
  ])
})

test('a time that the clocks skip comes when they skip it', () => {
  assert.deepEqual(moments('every day at 2:30', BERLIN, '2026-03-28T12:00:00Z', 2), [
    '2026-03-29T01:00:00.000Z',
    '2026-03-30T00:30:00.000Z',
  ])
  assert.deepEqual(moments('every day at 2:30', NEW_YORK, '2026-03-07T12:00:00Z', 2), [
    '2026-03-08T07:00:00.000Z',
    '2026-03-09T06:30:00.000Z',
  ])
  assert.deepEqual(moments('at 2026-03-29 02:30', BERLIN, '2026-03-28T12:00:00Z', 2), ['2026-03-29T01:00:00.000Z'])
})

test('a time that the clocks show twice comes once', () => {
  assert.deepEqual(moments('every day at 2:30', BERLIN, '2026-10-24T12:00:00Z', 2), [
    '2026-10-25T00:30:00.000Z',
    '2026-10-26T01:30:00.000Z',
  ])
  assert.deepEqual(moments('every day at 1:30', NEW_YORK, '2026-10-31T12:00:00Z', 2), [
    '2026-11-01T05:30:00.000Z',
    '2026-11-02T06:30:00.000Z',
  ])
  // Asked between the two.
  assert.deepEqual(moments('every day at 2:30', BERLIN, '2026-10-25T01:10:00Z', 1), ['2026-10-26T01:30:00.000Z'])
})

test('several times that the clocks skip together are one, and an interval takes no notice of clocks', () => {
  assert.deepEqual(moments('*/30 * * * *', BERLIN, '2026-03-29T00:29:00Z', 3), [
    '2026-03-29T00:30:00.000Z',
    '2026-03-29T01:00:00.000Z',
    '2026-03-29T01:30:00.000Z',
  ])
  const halfHours = moments('every 30 minutes', BERLIN, '2026-10-24T22:00:00Z', 12).map(Date.parse)
  assert.ok(halfHours.every((moment, index) => moment === halfHours[0]! + index * 1_800_000))
})

test('in zones with odd clocks, too, a time of every day comes once on each day', () => {
  const zones = ['Australia/Lord_Howe', 'America/Havana', 'America/Santiago', 'Antarctica/Troll']
  for (const timeZone of [...zones, BERLIN, NEW_YORK]) {
    for (const time of ['0:15', '2:30']) {
      const found = moments(`every day at ${time}`, timeZone, '2026-01-01T12:00:00Z', 365).map(Date.parse)
      const days = new Set(found.map((moment) => Math.floor(wallTime(moment, timeZone) / 86_400_000)))
      assert.equal(days.size, 365, `${timeZone} ${time}`)
    }
  }
})

test('of a long time the newest due times are found, and all of them where they are few', () => {
  const minutes = dueTimes(parseTimeRule('every minute'), 'UTC')
  const [from, to] = [Date.parse('2006-01-01T00:00:00Z'), Date.parse('2026-01-01T00:00:30Z')]
  assert.deepEqual(minutes.between(from, to, 2).map(iso), ['2025-12-31T23:59:00.000Z', '2026-01-01T00:00:00.000Z'])
  const years = dueTimes(parseTimeRule('0 0 1 1 *'), 'UTC')
  assert.equal(years.between(from, to, 100).length, 20)
  assert.deepEqual(years.between(to, to + 1_000, 100), [])
})

function moments(words: string, timeZone: string, after: string, most: number): readonly string[] {
  const times = dueTimes(parseTimeRule(words), timeZone)
  const found: number[] = []
  for (let next = times.next(Date.parse(after)); next !== undefined && found.length < most; next = times.next(next)) {
    found.push(next)
  }
  return found.map(iso)
}

/** To the minute; `never` where there is none any more. */
function due(words: string, timeZone: string, after: string, most: number): readonly string[] {
  const found = moments(words, timeZone, after, most).map((moment) => moment.slice(0, 16))
  return [...found, ...Array.from({ length: most - found.length }, () => 'never')]
}

function iso(moment: number): string {
  return new Date(moment).toISOString()
}
