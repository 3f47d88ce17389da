import { authorized } from './authorized.ts'
import type { Connection } from '../capability.ts'

/** What runs on a home: nothing, a gateway that answers, or a process that holds the home without answering. */
export type Running =
  | { readonly type: 'none' }
  | { readonly type: 'gateway'; readonly pid: number; readonly address: string; readonly connection: Connection }
  | { readonly type: 'silent'; readonly pid: number }

/** How long a gateway may take to say that it is there, ms. */
const HEALTH_LIMIT = 2_000

/** Asks whoever holds the home whether it is a gateway. */
export async function runningGateway(home: string): Promise<Running> {
  const { readClaim } = await import('../session.ts')
  const claim = readClaim(home)
  if (claim === undefined) return { type: 'none' }
  const { pid, address } = claim
  if (address === undefined || !(await answers(address))) return { type: 'silent', pid }
  const { readToken } = await import('../runtime.ts')
  return { type: 'gateway', pid, address, connection: connectionTo(address, await readToken(home)) }
}

async function answers(address: string): Promise<boolean> {
  try {
    const response = await fetch(new URL('/health', address), { signal: AbortSignal.timeout(HEALTH_LIMIT) })
    await response.body?.cancel()
    return response.ok
  } catch {
    return false
  }
}

function connectionTo(address: string, token: string | undefined): Connection {
  return {
    fetch: (path, init = {}) => fetch(new URL(path, address), authorized(init, token)),
    close: () => Promise.resolve(),
    inProcess: false,
  }
}
