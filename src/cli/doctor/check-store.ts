import type { Finding } from '../../capability.ts'
import { errorMessage } from '../../platform.ts'
import { type HomeStore, withStore } from '../open-store.ts'
import { ok, problem } from './finding.ts'

/** The finding about the store; `newest` is the time of the last activity in it. */
interface StoreFinding {
  readonly finding: Finding
  readonly newest: string | undefined
}

/** Checks that the store opens, can be read and is not damaged. */
export async function checkStore(home: HomeStore): Promise<StoreFinding> {
  const { driver, folder } = home
  const path = driver.location(folder)
  if (!(await driver.exists(folder))) return { finding: ok('store', 'empty'), newest: undefined }
  try {
    const newest = await withStore(
      home,
      async (store) => (await store.sessions({ limit: 1 }))[0]?.updated,
      () => undefined,
    )
    const fault = await driver.findFault?.(folder)
    const hint = `Stop Foreword. Then restore your last backup with \`foreword restore FILE --replace\`, which keeps the current home, or move ${path} away.`
    return {
      finding: fault === undefined ? ok('store', path) : problem('store', `${path} is damaged: ${fault}`, hint),
      newest,
    }
  } catch (error) {
    const message = errorMessage(error)
    const hint = `Check that you can read ${path}, and that this version of Foreword or an older one wrote it.`
    return { finding: problem('store', message, hint), newest: undefined }
  }
}

/** How many missing contents a finding names. */
const NAMED = 5

/** Checks that the store has every text that it refers to by hash. No findings where the store is empty or cannot tell. */
export async function checkContents({ driver, folder }: HomeStore): Promise<readonly Finding[]> {
  if (!(await driver.exists(folder))) return []
  const missing = await driver.findMissingContents?.(folder)
  if (missing === undefined) return []
  if (missing.length === 0)
    return [ok('contents', 'the store has every text that a call, a session or a file refers to')]
  const named = missing.slice(0, NAMED).map(({ hash, place }) => `sha256:${hash} (${place})`)
  const more = missing.length > NAMED ? ` and ${missing.length - NAMED} more` : ''
  const what = missing.length === 1 ? '1 text is missing' : `${missing.length} texts are missing`
  return [
    problem(
      'contents',
      `${what}: ${named.join(', ')}${more}`,
      'Restore a backup that has them with `foreword restore FILE --replace`. Until then, `foreword replay` counts their calls as different.',
    ),
  ]
}

/** Checks that no record of the audit has changed since it was written. */
export async function checkAudit(home: HomeStore): Promise<Finding> {
  const { verifyAudit } = await import('../../session.ts')
  try {
    const verdict = await withStore(home, verifyAudit, () => undefined)
    if (verdict === undefined) return ok('audit', 'empty')
    if (verdict.type === 'whole') return ok('audit', `whole: ${verdict.records} records`)
    return problem(
      'audit',
      `broken at record ${verdict.number}: ${verdict.why}`,
      'Something changed it outside Foreword. Keep a copy of the store, and look at the records with `foreword audit list`.',
    )
  } catch (error) {
    const message = errorMessage(error)
    return problem('audit', `the audit cannot be read: ${message}`, 'Fix what the finding about the store names first.')
  }
}
