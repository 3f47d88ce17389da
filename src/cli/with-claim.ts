import { CommandFailure } from './failure.ts'

/** Runs `work` as the one process that holds the home. Refuses beside a running gateway. */
export async function withClaim<Result>(home: string, work: () => Promise<Result>): Promise<Result> {
  const { claimHome, readClaim, StoreError } = await import('../session.ts')
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

/** Carries out a restore that broke off, before anything in the home is read. */
export async function completeRestore(home: string, warn: (text: string) => void): Promise<void> {
  const { finishRestore, isRestorePending } = await import('../runtime.ts')
  if (!isRestorePending(home)) return
  const aside = await withClaim(home, () => finishRestore(home))
  warn(
    `A restore that was interrupted is complete now.${aside === undefined ? '' : ` What was there before is in ${aside}.`}`,
  )
}
