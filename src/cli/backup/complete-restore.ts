import { withClaim } from './with-claim.ts'

/** Carries out a restore that broke off, before anything in the home is read. */
export async function completeRestore(home: string, warn: (text: string) => void): Promise<void> {
  const { finishRestore, isRestorePending } = await import('../../runtime.ts')
  if (!isRestorePending(home)) return
  const aside = await withClaim(home, () => finishRestore(home))
  warn(
    `A restore that was interrupted is complete now.${aside === undefined ? '' : ` What was there before is in ${aside}.`}`,
  )
}
