import { z } from 'zod'
import { capability, serviceKey } from '../../capability.ts'
import type { ScheduleRules, Schedules } from './open-schedules.ts'
import type { ScheduleView } from './run-view.ts'

const scheduleSettings = z
  .strictObject({
    enabled: z.boolean().default(true).describe('Whether schedules send their messages. `false`: none is due.'),
    people: z
      .boolean()
      .default(false)
      .describe('Whether members have schedules of their own. What they cost counts against the limits of `people`.'),
  })
  .prefault({})
  .describe('Messages that come by themselves at set times.')

type ScheduleSettings = z.output<typeof scheduleSettings> & Pick<ScheduleRules, 'ofPerson'>

export const scheduleService = serviceKey<Schedules>('schedules')

export const schedules = capability<ScheduleSettings, Schedules>({
  name: 'schedules',
  summary: 'messages that come by themselves at set times, each with a budget',
  settings: {
    schema: scheduleSettings,
    ofPerson: ({ enabled, people }) => ({ enabled: enabled && people, people, ofPerson: true }),
  },
  commands: { schedule: async () => (await import('./cli/schedule.ts')).scheduleCommand },
  slashCommands: {
    schedules: {
      summary: 'list the schedules: messages that come by themselves',
      shows: 'always',
      async run({ ask }) {
        const { schedulesText } = await import('./run-view.ts')
        return schedulesText((await ask<{ readonly schedules: readonly ScheduleView[] }>('/api/schedules')).schedules)
      },
    },
  },
  status: {
    async startLine({ service }) {
      if (!service.enabled) return undefined
      const { startText } = await import('./run-view.ts')
      const text = startText(await service.list())
      return text === undefined ? undefined : { label: 'Schedule', text }
    },
  },
  start: async (host) => (await import('./open-schedules.ts')).openSchedules(host),
  lifecycle: {
    async recover({ service, settings, listens }) {
      if (listens && settings.enabled) service.begin()
    },
    idle: ({ service }) => service.idle(),
  },
  http: { routes: async (self) => (await import('./http/schedule-routes.ts')).scheduleRoutes(self) },
  stop: ({ service }) => service.stop(),
})
