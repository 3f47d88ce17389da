import assert from 'node:assert/strict'
import { test, type TestContext } from 'node:test'
import { fullTimeText, timeText, withLocalTimes } from './time-text.ts'

const now = new Date('2026-03-10T12:00:00.000Z')

/** The zone of this process, for one test. */
function zone(context: TestContext, name: string): void {
  const before = process.env.TZ
  process.env.TZ = name
  context.after(() => {
    if (before === undefined) delete process.env.TZ
    else process.env.TZ = before
  })
}

test('a time within a day is shown in its largest whole unit, an earlier one as the local date with its zone', (context) => {
  zone(context, 'Europe/Berlin')
  const texts = {
    '2026-03-10T11:59:30.000Z': 'just now',
    '2026-03-10T12:00:30.000Z': 'just now',
    '2026-03-10T11:59:00.000Z': '1 minute ago',
    '2026-03-10T11:01:00.000Z': '59 minutes ago',
    '2026-03-10T09:30:00.000Z': '2 hours ago',
    '2026-03-09T12:00:01.000Z': '23 hours ago',
    '2026-03-09T12:00:00.000Z': '2026-03-09 13:00 +01:00',
    '2026-03-10T12:10:00.000Z': 'in 10 minutes',
    '2025-07-31T23:30:00.000Z': '2025-08-01 01:30 +02:00',
    'some day': 'some day',
    '': '',
  }
  for (const [time, expected] of Object.entries(texts)) assert.equal(timeText(time, now), expected, time)
})

test('the long form of a time has date, time and zone, and times inside a sentence are local', (context) => {
  zone(context, 'America/St_Johns')
  assert.equal(fullTimeText('2026-01-09T12:00:00.000Z', now), '60 days ago, 2026-01-09 08:30 -03:30')
  assert.equal(
    withLocalTimes('From 2026-01-09T12:00:00.000Z to 2026-01-09T13:00:00Z.'),
    'From 2026-01-09 08:30 -03:30 to 2026-01-09 09:30 -03:30.',
  )
  zone(context, 'UTC')
  assert.equal(fullTimeText('2026-03-10T11:58:00.000Z', now), '2 minutes ago, 2026-03-10 11:58 UTC')
})
