import { z } from 'zod'
import {
  type RecordKind,
  recordName,
  recordText,
  RuntimeError,
  type CapabilityHost,
  pageReader,
} from '../../capability.ts'
import { defined, followWithin, ForewordError, heldMessage, isWithin, sha256, withOpened } from '../../platform.ts'
import { parseTimeRule } from './time/time-rule.ts'
import { createHash } from 'node:crypto'
import { createReadStream } from 'node:fs'
import { realpath, stat } from 'node:fs/promises'
import { relative, resolve, sep } from 'node:path'
import { pipeline } from 'node:stream/promises'
import { numberText } from '../../context.ts'
import type { SessionStore } from '../../session.ts'

type ScheduleBudget = z.output<typeof budgetSchema>

const budgetSchema = z
  .union([
    z.strictObject({ usd: z.number().positive().max(1_000_000).describe('US dollars.') }),
    z.strictObject({ tokens: z.int().min(1).max(10_000_000_000).describe('Of prompts and answers together.') }),
  ])
  .describe('The most that one run may use.')

/** Reads `0.50`, `$0.50` and `20000tokens`. Throws `invalid-input`. */
export function parseBudget(text: string): ScheduleBudget {
  const [, dollars] = /^\$?(\d+(?:\.\d+)?)$/.exec(text.trim()) ?? []
  const [, tokens] = /^(\d+) ?tokens?$/i.exec(text.trim().replaceAll(/[,_](?=\d{3})/g, '')) ?? []
  const read = budgetSchema.safeParse(dollars === undefined ? { tokens: Number(tokens) } : { usd: Number(dollars) })
  if (read.success) return read.data
  throw new ForewordError(
    'invalid-input',
    `Cannot read the budget ${JSON.stringify(text.slice(0, 50))}.`,
    {},
    { hint: BUDGET_HINT },
  )
}

const BUDGET_HINT = 'Write US dollars, such as 0.50, or tokens, such as 20000tokens. It is what one run may use.'

export function budgetText(budget: ScheduleBudget): string {
  if ('tokens' in budget) return `${numberText(budget.tokens)} tokens`
  // At least two digits of the six.
  return `$${budget.usd.toFixed(6).replace(/0{1,4}$/, '')}`
}

/** What happens about due times that passed while no gateway ran: none of them, the newest one, or all. */
export const missedRules = ['skip', 'once', 'all'] as const

export const scheduleFields = {
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
  .strictObject(scheduleFields)
  .refine(({ session, agent }) => session === undefined || agent === undefined, {
    path: ['agent'],
    message: 'answers in new sessions only: leave out the agent or the session',
  })

export type ScheduleValue = z.output<typeof scheduleSchema>

export const newScheduleSchema = z.strictObject({
  ...scheduleFields,
  name: scheduleFields.name.optional().describe('Default: the beginning of the text.'),
  timeZone: scheduleFields.timeZone.optional().describe('Default: the one of the owner.'),
  missed: scheduleFields.missed.default('once'),
})

export type NewSchedule = z.input<typeof newScheduleSchema>

/** A field that is not named stays; `null` takes a field away. */
export const scheduleChangeSchema = z.strictObject({
  name: scheduleFields.name.optional(),
  when: scheduleFields.when.optional(),
  timeZone: scheduleFields.timeZone.optional(),
  text: scheduleFields.text.optional(),
  session: scheduleFields.session.unwrap().nullish().describe('`null`: each run begins a session of its own.'),
  agent: scheduleFields.agent.unwrap().nullish().describe('`null`: no custom agent.'),
  budget: budgetSchema.optional(),
  missed: scheduleFields.missed.optional(),
  ifChanged: scheduleFields.ifChanged.unwrap().nullish().describe('`null`: a run at each due time.'),
  paused: scheduleFields.paused,
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

interface Condition {
  readonly type: 'file' | 'url' | 'program'
  readonly value: string
}

/** Reads `file:PATH`, `url:ADDRESS` and `program:COMMAND`. Throws `invalid-input`. */
export function parseCondition(text: string): Condition {
  const [, type, value = ''] = /^(file|url|program):(.*)$/s.exec(text.trim()) ?? []
  if (type === undefined || value.trim() === '') throw unreadable(text, 'it names no file, address or program')
  if (type === 'url' && !/^https?:$/.test(URL.parse(value.trim())?.protocol ?? '')) {
    throw unreadable(text, 'its address is not one of http or https')
  }
  return { type: type as Condition['type'], value: value.trim() }
}

function unreadable(text: string, why: string): ForewordError {
  const hint = 'Write file:PATH, url:ADDRESS or program:COMMAND.'
  return new ForewordError(
    'invalid-input',
    `Cannot read the condition ${JSON.stringify(text.slice(0, 100))}: ${why}.`,
    {},
    { hint },
  )
}

type ConditionHost = Pick<CapabilityHost, 'home' | 'capability' | 'runtime'>

/** A digest of the present state. Rejects where it cannot be read, or its program may not run without a person. */
export async function conditionDigest(
  host: ConditionHost,
  { type, value }: Condition,
  signal: AbortSignal,
): Promise<string> {
  if (type === 'file') return fileDigest(host.home.workspace, value, signal)
  return type === 'url' ? pageDigest(host, value, signal) : programDigest(host, value)
}

/**
 * A file that is not there has a digest, too: that it comes is a change. No link in the workspace leads out of it, since programs
 * can make one.
 */
async function fileDigest(workspace: string, value: string, signal: AbortSignal): Promise<string> {
  const path = resolve(workspace, value)
  try {
    const real = await realpath(workspace)
    const start = [real, workspace].find((one) => isWithin(one, path))
    if (start === undefined) return await openedDigest(path, signal)
    const found = await followWithin(real, relative(start, path).split(sep), [workspace])
    if (found.type === 'outside') throw fault('It is a link that leads out of the workspace.')
    if (found.type === 'dangling') return 'none'
    return await withOpened(real, found.names, (opened) => openedDigest(opened, signal))
  } catch (error) {
    if (error instanceof ForewordError) throw error
    const { code } = error as NodeJS.ErrnoException
    if (code === 'ENOENT') return 'none'
    throw fault(`The file cannot be read${code === undefined ? `: ${heldMessage(error)}` : ` (${code}).`}`)
  }
}

async function openedDigest(path: string, signal: AbortSignal): Promise<string> {
  if (!(await stat(path)).isFile()) throw fault('It is not a file.')
  const hash = createHash('sha256')
  await pipeline(createReadStream(path), hash, { signal })
  return hash.digest('hex')
}

async function pageDigest({ capability }: ConditionHost, address: string, signal: AbortSignal): Promise<string> {
  const web = capability(pageReader)
  if (!web) throw fault('Addresses cannot be read here: the capability `web` is not in use.')
  const page = await web.fetch(address, signal)
  if (page.type === 'failed') throw fault(`The address cannot be read: ${page.reason}.`)
  return sha256(page.bytes)
}

/** The program runs as a call of the tool `shell` does: only what is allowed without a question. */
async function programDigest({ runtime }: ConditionHost, cmd: string): Promise<string> {
  const digest = await planProgram(runtime, cmd)
  const result = await runtime.runTool('shell', shellInput(cmd), digest, 'schedule')
  if (!result.ok) throw fault(`The program failed: ${result.error}`)
  return sha256(result.output)
}

/** Rejects where it may not run without a person. */
export async function planProgram(runtime: ConditionHost['runtime'], cmd: string): Promise<string> {
  const plan = await runtime.planTool('shell', shellInput(cmd))
  if (plan.type === 'refused') throw fault(`The program may not run: ${plan.error}`)
  if (plan.type === 'ask') throw fault('The program may not run without a question. Allow it in tool-access.json.')
  return plan.digest
}

function shellInput(cmd: string) {
  return { cmd, maxOutputChars: 200_000 }
}

function fault(message: string): ForewordError {
  return new ForewordError('invalid-input', message)
}

const resultSchema = z.union([
  z.object({ type: z.literal('sent'), session: z.string(), turn: z.string() }),
  z.object({ type: z.literal('unchanged') }).describe('Its condition had not changed: nothing was sent.'),
  z
    .object({
      type: z.literal('missed'),
      waits: z.literal(true).optional().describe('Its last run still waited for an approval of its budget.'),
    })
    .describe('Nothing was sent: no gateway ran then and the schedule skips such times, or its last run waited.'),
  z.object({ type: z.literal('failed'), reason: z.string() }).describe('Nothing was sent.'),
])

export const scheduleRunSchema = z.object({
  due: z.string().describe('When it was due. ISO 8601, UTC.'),
  time: z.string().describe('When it was decided.'),
  by: z.enum(['time', 'person']),
  result: resultSchema,
})

export type ScheduleRun = z.output<typeof scheduleRunSchema>

/** A run that was decided and is not known to be in the log of its session yet, with all that it is made of. */
const pendingSchema = z.object({
  /** The idempotency key of its input. */
  key: z.string(),
  due: z.string(),
  by: z.enum(['time', 'person']),
  text: z.string(),
  session: z.string().optional(),
  agent: z.string().optional(),
  budget: budgetSchema,
  digest: z.string().optional(),
})

export type PendingRun = z.output<typeof pendingSchema>

const stateSchema = z.object({
  /** Due times up to this one are decided: none of them is looked at again. ISO 8601, UTC. */
  upTo: z.string(),
  /** When due times that a wrong clock had decided came back; part of the keys since then, as they are due again. */
  again: z.string().optional(),
  digest: z.string().optional(),
  pending: pendingSchema.optional(),
  /** Newest last. */
  runs: z.array(scheduleRunSchema),
})

export type ScheduleState = z.output<typeof stateSchema>

const MOST_RUNS = 100

export function withRun(state: ScheduleState, run: ScheduleRun): ScheduleState {
  return { ...state, runs: [...state.runs, run].slice(-MOST_RUNS) }
}

export function scheduleStates(store: Pick<SessionStore, 'value' | 'putValue'>) {
  const keyOf = (schedule: string) => `schedule/${schedule}`
  return {
    /** Where there is none yet, one that begins at `since`. Rejects with a faulty one: then nothing is sent twice. */
    async read(schedule: string, since: string): Promise<ScheduleState> {
      const value = await store.value(keyOf(schedule))
      if (value === undefined || value === null) return { upTo: since, runs: [] }
      return stateSchema.parse(value)
    },

    /** On disk when it resolves. */
    write: (schedule: string, state: ScheduleState) => store.putValue(keyOf(schedule), stateSchema.parse(state)),
    remove: (schedule: string) => store.putValue(keyOf(schedule), null),
  }
}
