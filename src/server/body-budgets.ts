import { type BodyBudget, RuntimeError } from '../capability.ts'
import { byteBudget, type Clock } from '../platform.ts'

/** How long a request waits for room for its body, ms. */
const WAIT_MS = 30_000

/** Room for the bodies of all requests in one budget of `megabytes`, fair by token. `owner`: whose token it is. */
export function createBodyBudgets(megabytes: number, clock: Clock): (owner: string) => BodyBudget {
  const budget = byteBudget(megabytes * 1024 * 1024, WAIT_MS, clock)
  return (owner) => {
    const lease = budget.lease(owner)
    let held = 0
    return {
      async hold(bytes) {
        if (bytes <= held) return
        if (!(await lease.take(bytes - held))) throw noRoom()
        held = bytes
      },
      end: lease.end,
    }
  }
}

function noRoom(): RuntimeError {
  return new RuntimeError(
    'overloaded',
    'The bodies of other requests take up the memory for them: no more are accepted now.',
    { retryAfterMs: WAIT_MS },
    { hint: 'Send it again later, or raise gateway.heldBodyMegabytes.' },
  )
}
