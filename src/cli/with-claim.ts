import type { Io } from '../capability.ts'
import { CommandFailure } from './failure.ts'

/** Runs `work` while this process holds the claim on the home. Throws where another process holds it. */
export async function withClaim<Result>(
  home: string,
  io: Pick<Io, 'environment'>,
  work: () => Promise<Result>,
): Promise<Result> {
  const { claimHome, readClaim, StoreError } = await import('../session.ts')
  try {
    const claim = await claimHome(home, { pid: process.pid, started: new Date().toISOString() }, io)
    try {
      return await work()
    } finally {
      claim.release()
    }
  } catch (error) {
    if (!(error instanceof StoreError) || error.code !== 'claimed') throw error
    const pid = readClaim(home)?.pid
    throw new CommandFailure(
      'home-busy',
      `${home} is in use by ${pid === undefined ? 'a gateway' : `process ${pid}`}.`,
      {
        hint: 'Stop it, then try again.',
        cause: error,
      },
    )
  }
}
