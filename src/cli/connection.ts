import { setTimeout as delay } from 'node:timers/promises'
import type { Connection } from '../capability.ts'
import { CommandFailure } from './failure.ts'
import { note } from './io.ts'
import type { Io } from '../capability.ts'
import { type Running, runningGateway } from './running-gateway.ts'

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
  const connection = await connect(home, io, purpose)
  try {
    return await work(connection)
  } finally {
    await connection.close()
  }
}

/** The gateway that runs on this home; where there is none, one inside this process. Whoever connects closes it. */
export async function connect(home: string, io: Io, purpose: Purpose): Promise<Connection> {
  if (io.connect !== undefined) return await io.connect(home)
  let told = false
  for (const since = Date.now(); ; await delay(100)) {
    const found = await runningGateway(home)
    if (found.type === 'gateway') return found.connection
    const { localGateway, readingGateway } = await import('./local-gateway.ts')
    if (purpose === 'read') return await readingGateway(home, io)
    const local = found.type === 'none' ? await localGateway(home, io) : undefined
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
