import { countedText, phrase } from '../../context.ts'
import { existsSync } from 'node:fs'
import type { Finding, Io } from '../../capability.ts'
import { errorMessage, ForewordError } from '../../platform.ts'
import type { AuditReport, CheckpointTargetReport } from '../../session.ts'
import { type HomeStore, withStore } from '../open-store.ts'
import { verifyStoredAudit } from '../verify-audit.ts'
import { firstNames, ok, problem, warning } from './finding.ts'

/** The findings about the store; `newest` is the time of the last activity in it. */
interface StoreFinding {
  readonly findings: readonly Finding[]
  readonly newest: string | undefined
}

/** Checks that the store opens, can be read and is not damaged. */
export async function checkStore(home: HomeStore): Promise<StoreFinding> {
  const { path } = home
  if (!home.exists()) return { findings: [ok('store', phrase`empty`)], newest: undefined }
  try {
    const damaged = (what: string): Finding => ({
      ...problem('store', what, restoreHint(path)),
      code: 'storage-damaged',
    })
    const findings: Finding[] = []
    const newest = await withStore(
      home,
      async (store) => {
        for await (const { place, why } of store.damage()) findings.push(damaged(phrase`${place} is damaged: ${why}`))
        // Its index may be what is damaged, and named.
        const rows = await store.sessions({ limit: 1 }).catch(() => [])
        return rows[0]?.updated
      },
      () => undefined,
    )
    const { findStoreFault } = await import('../../session.ts')
    const fault = home.database ? undefined : await findStoreFault(path).catch(errorMessage)
    if (fault !== undefined) findings.push(damaged(phrase`${path} is damaged: ${fault}`))
    return { findings: findings.length > 0 ? findings : [ok('store', path)], newest }
  } catch (error) {
    const hint = (error instanceof ForewordError && error.hint) || phrase`Check that you can read ${path}.`
    return { findings: [problem('store', errorMessage(error), hint)], newest: undefined }
  }
}

function restoreHint(path: string): string {
  return phrase`Stop Foreword. Then restore your last backup with \`foreword restore FILE --replace\`, which keeps the current home, or move ${path} away.`
}

const NAMED = 5

/** Checks that the store has every text that it refers to by hash. No findings where the store is empty. */
export async function checkContents({ path, database }: HomeStore): Promise<readonly Finding[]> {
  if (database || !existsSync(path)) return []
  const { findMissingContents } = await import('../../session.ts')
  const missing = await findMissingContents(path)
  if (missing.length === 0)
    return [ok('contents', phrase`the store has every text that a call, a session or a file refers to`)]
  const named = firstNames(
    missing.map(({ hash, place }) => `sha256:${hash} (${place})`),
    NAMED,
  )
  const what = missing.length === 1 ? phrase`1 text is missing` : phrase`${missing.length} texts are missing`
  return [
    problem(
      'contents',
      `${what}: ${named}`,
      phrase`Restore a backup that has them with \`foreword restore FILE --replace\`. Until then, \`foreword calls replay\` counts their calls as different.`,
    ),
  ]
}

/** Checks that no record of the audit has changed since it was written. */
export async function checkAudit(kept: HomeStore, home: string, io: Io): Promise<readonly Finding[]> {
  try {
    const report = await verifyStoredAudit(kept, home, io)
    return [auditFinding(report), ...report.checkpoints.targets.flatMap(targetFinding)]
  } catch (error) {
    const message = errorMessage(error)
    const finding = problem(
      'audit',
      phrase`the audit cannot be read: ${message}`,
      phrase`Fix what the finding about the store names first.`,
    )
    return [finding]
  }
}

function auditFinding(report: AuditReport): Finding {
  if (report.type === 'broken') {
    return problem('audit', phrase`broken at record ${report.number}: ${report.why}`, report.hint ?? '')
  }
  const { newest } = report.checkpoints
  if (report.records === 0 && newest === undefined) return ok('audit', phrase`empty`)
  const proven = newest
    ? phrase`newest checkpoint of record ${newest.number} at ${newest.time}`
    : phrase`no checkpoint yet`
  return ok('audit', phrase`whole: ${countedText(report.records, 'record')}, ${proven}`)
}

function targetFinding({ target, failure }: CheckpointTargetReport): readonly Finding[] {
  if (failure === undefined) return []
  const where = failure.since === undefined ? target : phrase`${target} since ${failure.since}`
  return [
    warning(
      'audit',
      phrase`checkpoints cannot be written to ${where}: ${failure.message}`,
      phrase`Make it reachable, or change \`audit.checkpoints\`. What waits is written as soon as it works.`,
    ),
  ]
}
