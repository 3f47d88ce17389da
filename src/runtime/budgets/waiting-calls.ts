import type { Clock } from '../../capability.ts'
import { serialQueue } from '../../platform.ts'
import type { BudgetAmount, BudgetCheck, BudgetState } from '../../session.ts'

/** A call that waits for a person, since it could pass a budget. */
export interface BudgetWait {
  readonly most: BudgetAmount
  readonly asked: readonly string[]
  /** The budgets that apply at the moment: a new period has other accounts. */
  checks(): readonly BudgetCheck[]
}

/** Days and months begin with a minute of the clock, and another process may have changed the ledger. */
const MINUTE_MS = 60_000

export function createWaitingCalls(clock: Clock, state: (check: BudgetCheck) => BudgetState | Promise<BudgetState>) {
  const waiting = new Map<BudgetWait, (reason: string | undefined) => void>()
  /** Calls that were woken and do not hold anything yet: the next ones get what these leave. */
  const woken = new Set<BudgetWait>()
  let watching = new AbortController()
  /** Looks one after another, so that none takes what another one has kept for a call. */
  const { add: alone } = serialQueue()

  async function watch({ signal }: AbortController): Promise<void> {
    for (;;) {
      const wait = MINUTE_MS - (Date.parse(clock.time()) % MINUTE_MS)
      await clock.sleep(wait, signal)
      if (signal.aborted) return
      woken.clear()
      await look()
    }
  }

  async function reasonOf(call: BudgetWait): Promise<string | undefined> {
    const checks = call.checks()
    const accounts = new Set(checks.map(({ account }) => account))
    if (call.asked.some((account) => !accounts.has(account))) return 'A new period of the budget has begun.'
    for (const check of checks) if (!(await fits(call, check))) return undefined
    return 'The budget has room for the call.'
  }

  async function fits({ most }: BudgetWait, check: BudgetCheck): Promise<boolean> {
    const { limit, spent, held } = await state(check)
    let kept = 0
    for (const other of woken) {
      if (other.checks().some(({ account }) => account === check.account)) kept += other.most[check.unit]
    }
    return most[check.unit] <= limit - spent - held - kept
  }

  /** Never rejects: what cannot be read now is looked at again with the next minute. */
  async function look(): Promise<void> {
    if (waiting.size === 0) return
    await alone(async () => {
      for (const [call, wake] of waiting) {
        const reason = await reasonOf(call)
        // Its question may have ended meanwhile.
        if (reason === undefined || !waiting.has(call)) continue
        woken.add(call)
        end(call)
        wake(reason)
      }
    }).catch(() => {})
  }

  function end(call: BudgetWait): void {
    waiting.delete(call)
    if (waiting.size === 0) watching.abort()
  }

  return {
    /** Resolves with the reason once the call needs no decision, or another one; with `undefined` once `signal` is aborted. */
    room(call: BudgetWait, signal: AbortSignal) {
      const { promise, resolve } = Promise.withResolvers<string | undefined>()
      if (signal.aborted) return Promise.resolve(undefined)
      const abort = () => {
        end(call)
        resolve(undefined)
      }
      signal.addEventListener('abort', abort, { once: true })
      waiting.set(call, resolve)
      if (waiting.size === 1) {
        watching = new AbortController()
        void watch(watching)
      }
      // What it waits for can have happened since it asked.
      void look()
      return promise.finally(() => signal.removeEventListener('abort', abort))
    },
    /** The call asks for its hold again: what was kept for it is free. */
    asksAgain(call: BudgetWait) {
      woken.delete(call)
    },
    /** Budgets have changed: calls that fit in now go on, in the order in which they came. */
    look,
  }
}
