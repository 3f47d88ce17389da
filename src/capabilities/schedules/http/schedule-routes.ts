import { z } from 'zod'
import { type Route, jsonAnswer, route, type Runtime } from '../../../capability.ts'
import { json } from '../../../server.ts'
import type { Schedules } from '../open-schedules.ts'
import { runViewSchema, scheduleViewSchema, viewRuns, withOutcomes } from '../run-view.ts'
import { newScheduleSchema, scheduleChangeSchema, scheduleRunSchema } from '../schedule-record.ts'

interface ScheduleParts {
  readonly service: Schedules
  readonly runtime: Pick<Runtime, 'store' | 'models' | 'approvals'>
}

export function scheduleRoutes({ service, runtime }: ScheduleParts): readonly Route[] {
  return [
    route('GET /api/schedules', {
      scope: 'read',
      summary: 'Lists schedules in the order in which they were added',
      answers: () =>
        jsonAnswer('The schedules', {
          schedules: z.array(scheduleViewSchema),
          enabled: z.boolean().describe('`false`: `schedules.enabled` switches all of them off.'),
        }),
      handle: async () => ({ schedules: await withOutcomes(runtime, await service.list()), enabled: service.enabled }),
    }),
    route('POST /api/schedules', {
      scope: 'admin',
      personScope: 'approve',
      summary: 'Adds a schedule',
      description:
        'Each due time makes one message, whatever happens to the gateway. A schedule needs a budget: it is the most that one run may use.',
      body: newScheduleSchema,
      answers: () => jsonAnswer('Added', scheduleViewSchema, 201),
      handle: async ({ body }) => {
        const added = await service.add(body)
        return json(added, 201, { location: `/api/schedules/${encodeURIComponent(added.id)}` })
      },
    }),
    route('GET /api/schedules/:schedule', {
      scope: 'read',
      summary: 'Reads a schedule',
      answers: () => jsonAnswer('The schedule', scheduleViewSchema),
      handle: ({ param }) => service.get(param('schedule')),
    }),
    route('PATCH /api/schedules/:schedule', {
      scope: 'admin',
      personScope: 'approve',
      summary: 'Changes, pauses or resumes a schedule',
      description:
        'What is not named stays, and so do its runs; `null` takes a field away. A new time counts from now on. Due times that pass while it is paused do not happen, then or later.',
      body: scheduleChangeSchema,
      answers: () => jsonAnswer('The schedule', scheduleViewSchema),
      handle: ({ param, body }) => service.change(param('schedule'), body),
    }),
    route('DELETE /api/schedules/:schedule', {
      scope: 'admin',
      personScope: 'approve',
      summary: 'Removes a schedule; the sessions of its runs stay',
      answers: { 204: { description: 'Removed' } },
      handle: ({ param }) => service.remove(param('schedule')),
    }),
    route('POST /api/schedules/:schedule/run', {
      scope: 'admin',
      personScope: 'approve',
      summary: 'Runs a schedule now, whatever its time and its condition are',
      answers: () => jsonAnswer('Its message is on disk, or could not be sent', scheduleRunSchema, 202),
      handle: ({ param }) => service.run(param('schedule')),
    }),
    route('GET /api/schedules/:schedule/runs', {
      scope: 'read',
      summary: 'Lists the runs of a schedule, newest first: when, in which session and turn, and what they cost',
      query: z.strictObject({ limit: z.coerce.number().int().min(1).max(100).default(20) }),
      answers: () => jsonAnswer('Runs', { runs: z.array(runViewSchema) }),
      handle: async ({ param, query }) => ({
        runs: await viewRuns(runtime, (await service.runs(param('schedule'))).slice(0, query.limit)),
      }),
    }),
  ]
}
