import assert from 'node:assert/strict'
import { test } from 'node:test'
import { ageText } from './age-text.ts'

test('an age is told in its largest whole unit', () => {
  const now = new Date('2026-03-10T12:00:00.000Z')
  const ages = {
    '2026-03-10T11:59:30.000Z': 'just now',
    '2026-03-10T12:00:30.000Z': 'just now',
    '2026-03-10T11:59:00.000Z': '1 minute ago',
    '2026-03-10T11:01:00.000Z': '59 minutes ago',
    '2026-03-10T09:30:00.000Z': '2 hours ago',
    '2026-03-09T12:00:00.000Z': '1 day ago',
    '2026-01-09T12:00:00.000Z': '60 days ago',
    'some day': 'just now',
  }
  for (const [time, expected] of Object.entries(ages)) assert.equal(ageText(time, now), expected, time)
})
