import type { RetryRule } from '../../agent.ts'
import { withEdits } from '../../session.ts'
import { fallbackRule } from '../settings.ts'
import type { PreparedTurn } from './prepare-turn.ts'
import type { LiveTurn } from './record-call.ts'
import { turnSetup } from './turn-setup.ts'

/**
 * The turn with what goes on with it once its model fails: another model, from what is in the log, as a turn goes on after a restart.
 * `rule`: of a model without a fallback. `passed` is told of the turn as the other model goes on with it.
 */
export function withFallback(
  turn: LiveTurn,
  prepared: PreparedTurn,
  rule: RetryRule,
  passed: (turn: LiveTurn) => void,
): LiveTurn {
  const { clock, context, id, state } = turn
  return {
    ...turn,
    ...prepared,
    retries: fallbackRule(rule, prepared, clock.monotonic()),
    async fallback(error) {
      const call = state.lastCall?.model === prepared.model.id ? state.lastCall.call : undefined
      const next = await prepared.afterFailure!({ error, call })
      if (next === undefined || next instanceof Error) return next
      const entries = [...withEdits(state.live.get(id) ?? (await context.store.entries(state.session, { turn: id })))]
      const after = withFallback({ ...turn, entries }, next, rule, passed)
      passed(after)
      return turnSetup(after)
    },
  }
}
