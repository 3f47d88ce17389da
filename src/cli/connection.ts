import { withToken } from './answer.ts'
import { systemClock } from '../platform.ts'
import type { GatewayConnection, Io } from '../capability.ts'
import { CommandFailure } from './failure.ts'
import { note } from './io.ts'

/** How long to wait for another process that holds the home, ms: a turn of a slow model is often over by then. */
export const HOME_TIMEOUT = 60_000

/**
 * What a command does. One that only reads works beside any other process on the home. One that writes cancels the turns
 * that it leaves in a gateway inside this process; one that serves other programs leaves them for the next start.
 */
export type Purpose = 'write' | 'read' | 'serve'

export async function withConnection<T>(
  home: string,
  io: Io,
  purpose: Purpose,
  work: (connection: GatewayConnection) => Promise<T>,
): Promise<T> {
  const connection = await connectToHome(home, io, purpose)
  try {
    return await work(connection)
  } finally {
    await connection.close()
  }
}

/** Connects to the gateway that runs on this home, or opens one inside this process. The caller closes the connection. */
export async function connectToHome(home: string, io: Io, purpose: Purpose): Promise<GatewayConnection> {
  if (io.connect !== undefined) return await io.connect(home)
  let isReported = false
  for (const since = Date.now(); ; await systemClock.sleep(100)) {
    const found = await findGateway(home)
    if (found.type === 'gateway') return found.connection
    const { openLocalGateway, openReadOnlyGateway } = await import('./gateway.ts')
    if (purpose === 'read') return await openReadOnlyGateway(home, io)
    const local =
      found.type === 'none' ? await openLocalGateway(home, io, { endsWithCommand: purpose === 'write' }) : undefined
    if (local !== undefined) return local
    const holder = found.type === 'none' ? 'another process' : `process ${found.pid}`
    if (Date.now() - since > HOME_TIMEOUT) throw homeBusy(home, holder)
    if (!isReported) note(io, `Waiting for ${holder}, which uses this home. Press Ctrl-C to give up.`)
    isReported = true
  }
}

export function homeBusy(home: string, holder: string): CommandFailure {
  const message = `${holder} holds the home ${home} and has not answered for ${HOME_TIMEOUT / 1000} seconds.`
  return new CommandFailure('home-busy', message, {
    hint: 'Wait until it ends, or end it, then try again. Or use another home with `--home DIRECTORY`.',
  })
}

type Running =
  | { readonly type: 'none' }
  | { readonly type: 'gateway'; readonly pid: number; readonly address: string; readonly connection: GatewayConnection }
  | { readonly type: 'silent'; readonly pid: number }

/** Timeout of the health check of a gateway, ms. */
const HEALTH_LIMIT = 2_000

/** Finds the process that holds the home, and checks whether it is a gateway. */
export async function findGateway(home: string): Promise<Running> {
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

export function connectionTo(address: string, token: string | undefined): GatewayConnection {
  return {
    fetch: (path, init = {}) => fetch(new URL(path, address), withToken(init, token)),
    close: () => Promise.resolve(),
    inProcess: false,
  }
}
