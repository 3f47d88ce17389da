import { withToken } from './answer.ts'
import { sleep } from '../platform.ts'
import type { Connection, Io } from '../capability.ts'
import { CommandFailure } from './failure.ts'
import { note } from './io.ts'

/** How long another command that holds the home is waited for, ms. */
const PATIENCE = 10_000

/** What a command is going to do: one that only looks works beside any other process on the home. */
export type Purpose = 'write' | 'read'

/** Runs `work` over a connection and closes it afterwards. */
export async function connected<T>(
  home: string,
  io: Io,
  purpose: Purpose,
  work: (connection: Connection) => Promise<T>,
): Promise<T> {
  const connection = await connectToHome(home, io, purpose)
  try {
    return await work(connection)
  } finally {
    await connection.close()
  }
}

/** The gateway that runs on this home; where there is none, one inside this process. Whoever connects closes it. */
export async function connectToHome(home: string, io: Io, purpose: Purpose): Promise<Connection> {
  if (io.connect !== undefined) return await io.connect(home)
  let told = false
  for (const since = Date.now(); ; await sleep(100)) {
    const found = await findGateway(home)
    if (found.type === 'gateway') return found.connection
    const { openLocalGateway, openReadOnlyGateway } = await import('./gateway.ts')
    if (purpose === 'read') return await openReadOnlyGateway(home, io)
    const local = found.type === 'none' ? await openLocalGateway(home, io) : undefined
    if (local !== undefined) return local
    const holder = holderOf(found)
    if (Date.now() - since > PATIENCE) throw busy(home, holder)
    if (!told) note(io, `Waiting: ${holder} is working on this home. Ctrl-C gives up.`)
    told = true
  }
}

function holderOf(found: Running): string {
  return found.type === 'none' ? 'another process' : `process ${found.pid}`
}

function busy(home: string, holder: string): CommandFailure {
  const message = `${holder} holds the home ${home} and has answered no request for ${PATIENCE / 1000} seconds.`
  return new CommandFailure('home-busy', message, {
    hint: 'Try again when it has ended, or end it; or use another home with `--home DIRECTORY`.',
  })
}

/** What runs on a home: nothing, a gateway that answers, or a process that holds the home without answering. */
type Running =
  | { readonly type: 'none' }
  | { readonly type: 'gateway'; readonly pid: number; readonly address: string; readonly connection: Connection }
  | { readonly type: 'silent'; readonly pid: number }

/** How long a gateway may take to say that it is there, ms. */
const HEALTH_LIMIT = 2_000

/** Asks whoever holds the home whether it is a gateway. */
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

function connectionTo(address: string, token: string | undefined): Connection {
  return {
    fetch: (path, init = {}) => fetch(new URL(path, address), withToken(init, token)),
    close: () => Promise.resolve(),
    inProcess: false,
  }
}
