import type { Finding } from '../../capability.ts'
import { errorMessage } from '../../platform.ts'
import { type HomeStore, withStore } from '../open-store.ts'
import { ok, problem } from './finding.ts'

/** What was found of the sessions; `newest` is the time of the last activity. */
interface StoreFinding {
  readonly finding: Finding
  readonly newest: string | undefined
}

/** Whether the store opens, reads, and is whole. */
export async function checkStore(home: HomeStore): Promise<StoreFinding> {
  const { driver, folder } = home
  const path = driver.location(folder)
  if (!(await driver.exists(folder))) return { finding: ok('store', 'nothing was written yet'), newest: undefined }
  try {
    const newest = await withStore(
      home,
      async (store) => (await store.sessions({ limit: 1 }))[0]?.updated,
      () => undefined,
    )
    const fault = await driver.findFault?.(folder)
    const hint = `Stop Foreword, then bring back your last backup with \`foreword restore FILE --replace\`, which keeps what is there now; or move ${path} away.`
    return {
      finding: fault === undefined ? ok('store', path) : problem('store', `${path} is damaged: ${fault}`, hint),
      newest,
    }
  } catch (error) {
    const message = errorMessage(error)
    const hint = `Look at ${path}: it must be a file of this Foreword or an older one, readable by you.`
    return { finding: problem('store', message, hint), newest: undefined }
  }
}

/** How many of the missing contents are named one by one. */
const NAMED = 5

/** Whether every text that the store keeps by its hash is there. Nothing where nothing was ever written, or the store cannot tell. */
export async function checkContents({ driver, folder }: HomeStore): Promise<readonly Finding[]> {
  if (!(await driver.exists(folder))) return []
  const missing = await driver.findMissingContents?.(folder)
  if (missing === undefined) return []
  if (missing.length === 0) return [ok('contents', 'every text that a call, a session or a file refers to is there')]
  const named = missing.slice(0, NAMED).map(({ hash, place }) => `sha256:${hash} (${place})`)
  const more = missing.length > NAMED ? ` and ${missing.length - NAMED} more` : ''
  const what = missing.length === 1 ? '1 text is missing' : `${missing.length} texts are missing`
  return [
    problem(
      'contents',
      `${what}: ${named.join(', ')}${more}`,
      'Bring them back with `foreword restore FILE --replace` from a backup that has them. Until then `foreword replay` counts their calls as different.',
    ),
  ]
}

/** Whether every record of the audit is as it was written. */
export async function checkAudit(home: HomeStore): Promise<Finding> {
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
    const message = errorMessage(error)
    return problem('audit', `it cannot be read: ${message}`, 'Look at what is said of the store first.')
  }
}
