import { existsSync } from 'node:fs'
import { withStore } from '../open-store.ts'
import { ok, problem } from './finding.ts'
import type { Finding } from '../../capability.ts'

/** Whether every record of the audit is as it was written. */
export async function checkAudit(home: string, store: string): Promise<Finding> {
  if (!existsSync(store)) return ok('audit', 'nothing was recorded yet')
  const { verifyAudit } = await import('../../session.ts')
  try {
    const verdict = await withStore(home, verifyAudit, () => undefined)
    if (verdict === undefined) return ok('audit', 'nothing was recorded yet')
    if (verdict.type === 'whole') return ok('audit', `whole: ${verdict.records} records`)
    return problem(
      'audit',
      `broken at record ${verdict.number}: ${verdict.why}`,
      'Somebody changed it outside Foreword. Keep a copy of the store, and look with `foreword audit list`.',
    )
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error)
    return problem('audit', `it cannot be read: ${message}`, 'Look at what is said of the store first.')
  }
}
