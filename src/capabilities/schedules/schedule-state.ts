import { z } from 'zod'
import type { SessionStore } from '../../session.ts'
import { budgetSchema } from './schedule-record.ts'

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

const runSchema = z.object({
  due: z.string().describe('When it was due. ISO 8601, UTC.'),
  time: z.string().describe('When it was decided.'),
  by: z.enum(['time', 'person']),
  result: resultSchema,
})

export type ScheduleRun = z.output<typeof runSchema>

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
  runs: z.array(runSchema),
})

export type ScheduleState = z.output<typeof stateSchema>

const MOST_RUNS = 100

export const scheduleRunSchema = runSchema

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
