import { CommandFailure } from './failure.ts'

/** Runs `work` while this process holds the claim on the home. Throws where another process holds it. */
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
        hint: 'Stop it, then try again.',
        cause: error,
      },
    )
  }
}

/** Completes an interrupted restore, before anything in the home is read. */
export async function completeRestore(home: string, warn: (text: string) => void): Promise<void> {
  const { finishRestore, isRestorePending } = await import('../runtime.ts')
  if (!isRestorePending(home)) return
  const aside = await withClaim(home, () => finishRestore(home))
  warn(`Completed an interrupted restore.${aside === undefined ? '' : ` The former content is in ${aside}.`}`)
}
