import type { Schedules } from '../../src/capabilities/schedules/open-schedules.ts'
import type { ScheduleView } from '../../src/capabilities/schedules/run-view.ts'
import type { ScheduleRun } from '../../src/capabilities/schedules/schedule-record.ts'

/** One schedule that stays as it is. */
export function scriptedSchedules(): Schedules {
  return {
    enabled: true,
    list: async () => [schedule],
    get: async () => schedule,
    add: async () => schedule,
    change: async () => schedule,
    remove: async () => {},
    run: async () => run,
    runs: async () => [run],
    check: async () => {},
    begin() {},
    idle: () => undefined,
    stop: async () => {},
  }
}

const run: ScheduleRun = {
  due: '2026-01-01T08:00:00.000Z',
  time: '2026-01-01T08:00:00.000Z',
  by: 'time',
  result: { type: 'unchanged' },
}

const schedule: ScheduleView = {
  id: 'schedule-1',
  name: 'News',
  when: 'every day at 8',
  timeZone: 'UTC',
  text: 'Look at the news.',
  budget: { usd: 0.5 },
  missed: 'once',
  ifChanged: 'file:/news.txt',
  created: '2026-01-01T00:00:00.000Z',
  state: 'active',
  next: ['2026-01-02T08:00:00.000Z'],
  last: run,
}
