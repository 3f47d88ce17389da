import { type TurnHealth, isProviderFault } from '../../agent.ts'
import type { Breaker, Clock } from '../../capability.ts'

/** Whether providers answer, by what became of their last calls. */
export type ProviderHealth = ReturnType<typeof createProviderHealth>

/** The last calls to a provider have failed. */
interface Trouble {
  /** One after the other. */
  readonly failures: number
  /** How often its breaker has opened since it last answered. */
  readonly openings: number
  /** Until when no call is made that another model can answer, ms of the clock. Absent: the breaker is closed. */
  readonly until?: number
  /** When a call was let through to see whether it answers again, ms of the clock. */
  readonly tried?: number
}

const FAILURES_TO_OPEN = 3
/** ms; doubled with each opening, up to the longest. */
const FIRST_PAUSE_MS = 30_000
const LONGEST_PAUSE_MS = 600_000
/** A call that was let through and has not ended after this time decides nothing any more, ms. */
const TRIAL_MS = 60_000

/**
 * A breaker for each provider, without timers. It opens after three failures in a row, and at once where a provider refuses every
 * call. It concerns models that have a fallback: a call that only this provider can answer is always made.
 */
export function createProviderHealth(clock: Pick<Clock, 'monotonic'>) {
  const troubled = new Map<string, Trouble>()
  const stateOf = ({ until }: Trouble): Breaker['state'] =>
    until === undefined ? 'closed' : clock.monotonic() < until ? 'open' : 'half-open'

  const note: TurnHealth['note'] = (model, error) => {
    const provider = providerOf(model)
    if (error === undefined) return void troubled.delete(provider)
    // Another model of this provider may be there.
    if (!isProviderFault(error) || error.code === 'model-not-found') return
    const before = troubled.get(provider) ?? { failures: 0, openings: 0 }
    const failures = before.failures + 1
    // It concerns calls that were on their way when it opened.
    if (stateOf(before) === 'open') return void troubled.set(provider, { ...before, failures })
    const { code, facts } = error
    const refusesAll = code === 'auth' || code === 'quota' || facts.refused === true
    if (!refusesAll && failures < FAILURES_TO_OPEN) return void troubled.set(provider, { ...before, failures })
    const pause = Math.max(FIRST_PAUSE_MS * 2 ** before.openings, facts.retryAfterMs ?? 0)
    const until = clock.monotonic() + Math.min(pause, LONGEST_PAUSE_MS)
    troubled.set(provider, { failures, openings: before.openings + 1, until })
  }

  return {
    troubled: troubled as TurnHealth['troubled'],
    note,
    /** As if every provider had answered: its key or its address may be another one. */
    forget: (): void => troubled.clear(),
    /**
     * For how long the provider of a model is not asked, ms; `undefined`: it is. `tries`: a call follows, so that no other one tries
     * a provider whose pause is over meanwhile.
     */
    pauseOf(model: string, tries: boolean): number | undefined {
      const provider = providerOf(model)
      const trouble = troubled.get(provider)
      if (trouble?.until === undefined) return undefined
      const now = clock.monotonic()
      const until = Math.max(trouble.until, (trouble.tried ?? -Infinity) + TRIAL_MS)
      if (now < until) return until - now
      if (tries) troubled.set(provider, { ...trouble, tried: now })
      return undefined
    },
    /** Of the providers whose last calls failed. */
    breakers: (): readonly Breaker[] =>
      [...troubled].map(([provider, trouble]) => ({ provider, state: stateOf(trouble), failures: trouble.failures })),
  }
}

function providerOf(model: string): string {
  return model.split('/', 1)[0]!
}
