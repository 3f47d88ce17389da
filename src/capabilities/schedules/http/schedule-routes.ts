import { z } from 'zod'
import { type Route, route, type Runtime } from '../../../capability.ts'
import { empty, json } from '../../../server.ts'
import type { Schedules } from '../open-schedules.ts'
import { viewRuns, withOutcomes } from '../run-view.ts'
import { newScheduleSchema, scheduleChangeSchema, scheduleFields } from '../schedule-record.ts'
import { scheduleRunSchema } from '../schedule-state.ts'

interface ScheduleParts {
  readonly service: Schedules
  readonly runtime: Pick<Runtime, 'store' | 'models' | 'approvals'>
}

const runViewSchema = scheduleRunSchema.extend({
  outcome: z.string().optional().describe('How its turn ended. Absent until then.'),
  waits: z.literal(true).optional().describe('Its turn waits for an approval of the owner.'),
  cost: z
    .object({
      calls: z.number(),
      prompt: z.number(),
      cached: z.number(),
      output: z.number(),
      silent: z.number().describe('Calls without reported usage.'),
      money: z.number().optional().describe('US dollars. Absent where a price or a usage is not known.'),
    })
    .optional()
    .describe('Of the calls of its turn.'),
})

const scheduleSchema = z.object({
  ...scheduleFields,
  id: z.string(),
  created: z.string(),
  state: z.enum(['active', 'paused', 'finished']).describe('`finished`: it is never due again.'),
  next: z.array(z.string()).describe('The next three due times, ISO 8601, UTC.'),
  last: runViewSchema.optional().describe('The newest due time that was decided.'),
})

const tag = 'schedules'

export function scheduleRoutes({ service, runtime }: ScheduleParts): readonly Route[] {
  return [
    route({
      method: 'GET',
      path: '/api/schedules',
      scope: 'read',
      tag,
      summary: 'Lists schedules in the order in which they were added',
      answers: {
        200: {
          description: 'The schedules',
          schema: z.object({
            schedules: z.array(scheduleSchema),
            enabled: z.boolean().describe('`false`: `schedules.enabled` switches all of them off.'),
          }),
        },
      },
      handle: async () =>
        json({ schedules: await withOutcomes(runtime, await service.list()), enabled: service.enabled }),
    }),
    route({
      method: 'POST',
      path: '/api/schedules',
      scope: 'admin',
      tag,
      summary: 'Adds a schedule',
      description:
        'Each due time makes one message, whatever happens to the gateway. A schedule needs a budget: it is the most that one run may use.',
      body: newScheduleSchema,
      answers: { 201: { description: 'Added', schema: scheduleSchema } },
      handle: async ({ body }) => {
        const added = await service.add(body)
        return json(added, 201, { location: `/api/schedules/${encodeURIComponent(added.id)}` })
      },
    }),
    route({
      method: 'GET',
      path: '/api/schedules/:schedule',
      scope: 'read',
      tag,
      summary: 'Reads a schedule',
      answers: { 200: { description: 'The schedule', schema: scheduleSchema } },
      handle: async ({ param }) => json(await service.get(param('schedule'))),
    }),
    route({
      method: 'PATCH',
      path: '/api/schedules/:schedule',
      scope: 'admin',
      tag,
      summary: 'Changes, pauses or resumes a schedule',
      description:
        'What is not named stays, and so do its runs; `null` takes a field away. A new time counts from now on. Due times that pass while it is paused do not happen, then or later.',
      body: scheduleChangeSchema,
      answers: { 200: { description: 'The schedule', schema: scheduleSchema } },
      handle: async ({ param, body }) => json(await service.change(param('schedule'), body)),
    }),
    route({
      method: 'DELETE',
      path: '/api/schedules/:schedule',
      scope: 'admin',
      tag,
      summary: 'Removes a schedule; the sessions of its runs stay',
      answers: { 204: { description: 'Removed' } },
      handle: async ({ param }) => {
        await service.remove(param('schedule'))
        return empty(204)
      },
    }),
    route({
      method: 'POST',
      path: '/api/schedules/:schedule/run',
      scope: 'admin',
      tag,
      summary: 'Runs a schedule now, whatever its time and its condition are',
      answers: { 202: { description: 'Its message is on disk, or could not be sent', schema: scheduleRunSchema } },
      handle: async ({ param }) => json(await service.run(param('schedule')), 202),
    }),
    route({
      method: 'GET',
      path: '/api/schedules/:schedule/runs',
      scope: 'read',
      tag,
      summary: 'Lists the runs of a schedule, newest first: when, in which session and turn, and what they cost',
      query: z.strictObject({ limit: z.coerce.number().int().min(1).max(100).default(20) }),
      answers: { 200: { description: 'Runs', schema: z.object({ runs: z.array(runViewSchema) }) } },
      handle: async ({ param, query }) =>
        json({ runs: await viewRuns(runtime, (await service.runs(param('schedule'))).slice(0, query.limit)) }),
    }),
  ]
}
