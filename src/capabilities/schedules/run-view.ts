import { type Runtime, type SessionTotals, sumCosts } from '../../capability.ts'
import { defined } from '../../platform.ts'
import { readTurnView } from '../../runtime.ts'
import { usedTokens } from '../../session.ts'
import type { ScheduleView } from './open-schedules.ts'
import type { ScheduleRun } from './schedule-state.ts'

export interface ScheduleRunView extends ScheduleRun {
  /** Absent while the turn runs or waits, where nothing was sent, and where its session is gone. */
  readonly outcome?: string
  /** Its turn waits for an approval of the owner, such as of a call that could pass the budget. */
  readonly waits?: true
  /** Of the calls of its turn. Absent where it has none. */
  readonly cost?: SessionTotals
}

export async function withOutcomes(
  reader: RunReader,
  schedules: readonly ScheduleView[],
): Promise<readonly ScheduleView[]> {
  const last = await viewRuns(
    reader,
    schedules.flatMap((schedule) => schedule.last ?? []),
  )
  let next = 0
  return schedules.map((schedule) => (schedule.last ? { ...schedule, last: last[next++]! } : schedule))
}

type RunReader = Pick<Runtime, 'store' | 'models' | 'approvals'>

export async function viewRuns(
  { store, models, approvals }: RunReader,
  runs: readonly ScheduleRun[],
): Promise<readonly ScheduleRunView[]> {
  const { callCost } = await import('../../model.ts')
  const prices = new Map((await models()).map(({ id, facts }) => [id, facts?.price]))
  const waiting = new Set((await approvals()).map(({ session, turn }) => `${session} ${turn}`))
  return Promise.all(
    runs.map(async (run) => {
      if (run.result.type !== 'sent') return run
      const { session, turn } = run.result
      const view = await readTurnView(store, session, turn).catch(() => undefined)
      if (!view) return run
      const calls = await Promise.all(view.calls.map((call) => store.call(call)))
      const counted = calls.flatMap((call) => {
        if (!call) return []
        const usage = usedTokens(call.outcome)
        const price = prices.get(call.model)
        return [defined({ usage, paid: usage && price ? callCost(usage, price) : undefined })]
      })
      return {
        ...run,
        ...(waiting.has(`${session} ${turn}`) ? { waits: true as const } : {}),
        ...defined({ outcome: view.outcome?.type, cost: counted.length === 0 ? undefined : sumCosts(counted) }),
      }
    }),
  )
}
