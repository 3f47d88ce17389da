import { CommandFailure } from '../failure.ts'

/** Runs `work` as the one process that holds the home. Refuses beside a running gateway. */
export async function withClaim<Result>(home: string, work: () => Promise<Result>): Promise<Result> {
  const { claimHome, readClaim, StoreError } = await import('../../session.ts')
  try {
    const claim = await claimHome(home, { pid: process.pid, started: new Date().toISOString() })
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
        hint: 'Stop it first, then try again.',
        cause: error,
      },
    )
  }
}
