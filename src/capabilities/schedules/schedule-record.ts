import { z } from 'zod'
import { type RecordKind, recordName, recordText, RuntimeError } from '../../capability.ts'
import { defined, ForewordError } from '../../platform.ts'
import { budgetSchema } from './budget.ts'
import { parseCondition } from './condition.ts'
import { parseTimeRule } from './time/time-rule.ts'

/** What happens about due times that passed while no gateway ran: none of them, the newest one, or all. */
export const missedRules = ['skip', 'once', 'all'] as const

const fields = {
  name: recordName.describe('Name of the schedule.'),
  when: z
    .string()
    .max(200)
    .superRefine(understood(parseTimeRule))
    .describe(
      'When it is due: `every weekday at 8`, `every 15 minutes`, `at 2026-12-01 09:00`, or five fields of cron.',
    ),
  timeZone: z.string().max(100).refine(isTimeZone, 'is no time zone').describe('IANA name, such as `Europe/Berlin`.'),
  text: recordText.refine((text) => text.trim() !== '', 'is blank').describe('The message of every run.'),
  session: z
    .string()
    .min(1)
    .max(200)
    .optional()
    .describe('The session that each run goes on in. Absent: a new one for each.'),
  agent: z.string().min(1).max(200).optional().describe('Id of the custom agent that answers in a new session.'),
  budget: budgetSchema,
  missed: z
    .enum(missedRules)
    .describe(
      'Due times that passed while no gateway ran. `skip`: none of them happens. `once`: the newest. `all`: each, at most the newest 100.',
    ),
  ifChanged: z
    .string()
    .max(4_000)
    .superRefine(understood(parseCondition))
    .optional()
    .describe('A run only where this has changed since the last one: `file:PATH`, `url:ADDRESS` or `program:COMMAND`.'),
  paused: z.boolean().optional().describe('Nothing is due while it is paused.'),
}

const scheduleSchema = z
  .strictObject(fields)
  .refine(({ session, agent }) => session === undefined || agent === undefined, {
    path: ['agent'],
    message: 'answers in new sessions only: leave out the agent or the session',
  })

export type ScheduleValue = z.output<typeof scheduleSchema>

export const newScheduleSchema = z.strictObject({
  ...fields,
  name: fields.name.optional().describe('Default: the beginning of the text.'),
  timeZone: fields.timeZone.optional().describe('Default: the one of the owner.'),
  missed: fields.missed.default('once'),
})

export type NewSchedule = z.input<typeof newScheduleSchema>

/** A field that is not named stays; `null` takes a field away. */
export const scheduleChangeSchema = z.strictObject({
  name: fields.name.optional(),
  when: fields.when.optional(),
  timeZone: fields.timeZone.optional(),
  text: fields.text.optional(),
  session: fields.session.unwrap().nullish().describe('`null`: each run begins a session of its own.'),
  agent: fields.agent.unwrap().nullish().describe('`null`: no custom agent.'),
  budget: budgetSchema.optional(),
  missed: fields.missed.optional(),
  ifChanged: fields.ifChanged.unwrap().nullish().describe('`null`: a run at each due time.'),
  paused: fields.paused,
})

export type ScheduleChange = z.input<typeof scheduleChangeSchema>

/** A session takes the place of an agent, which answers in new sessions only. Throws `invalid-input`. */
export function changedSchedule(before: ScheduleValue, given: unknown): ScheduleValue {
  const change = readSchedule(scheduleChangeSchema, given)
  const agent = change.session ? undefined : before.agent
  const changed = Object.entries({ ...before, agent, ...defined(change) })
  const isGone = (value: unknown) => value === null || value === undefined || value === false
  return readSchedule(scheduleSchema, Object.fromEntries(changed.filter(([, value]) => !isGone(value))))
}

/** Throws `invalid-input` with every fault. */
export function readSchedule<Schema extends z.ZodType>(schema: Schema, given: unknown): z.output<Schema> {
  const read = schema.safeParse(given)
  if (read.success) return read.data
  const problems = read.error.issues.map(({ path, message }) => `${path.join('.') || 'it'}: ${message}`)
  throw new RuntimeError('invalid-input', `Invalid schedule: ${problems.join('; ')}`, { problems })
}

export const scheduleRecordKind: RecordKind<ScheduleValue> = {
  kind: 'schedule',
  command: 'schedule',
  schema: scheduleSchema,
  nameOf: ({ name }) => name,
}

export const scheduleFields = fields

function understood(parse: (text: string) => unknown) {
  return (text: string, context: z.core.$RefinementCtx) => {
    try {
      parse(text)
    } catch (error) {
      if (!(error instanceof ForewordError)) throw error
      context.addIssue({ code: 'custom', message: [error.message, error.hint].join(' ').trim() })
    }
  }
}

function isTimeZone(name: string): boolean {
  try {
    return new Intl.DateTimeFormat('en', { timeZone: name }).resolvedOptions().timeZone !== ''
  } catch {
    return false
  }
}
