import { existsSync } from 'node:fs'
import { withStore } from '../open-store.ts'
import { type Finding, ok, problem } from './finding.ts'

/** What was found of the sessions; `newest` is the time of the last activity. */
export interface StoreFinding {
  readonly finding: Finding
  readonly newest: string | undefined
}

/** Whether the store opens, reads, and is whole. */
export async function checkStore(home: string, path: string): Promise<StoreFinding> {
  if (!existsSync(path)) return { finding: ok('store', 'nothing was written yet'), newest: undefined }
  try {
    const { storeFault } = await import('../../session.ts')
    const newest = await withStore(
      home,
      async (store) => (await store.sessions({ limit: 1 }))[0]?.updated,
      () => undefined,
    )
    const fault = storeFault(path)
    const hint = `Stop Foreword, then bring back your last backup with \`foreword restore FILE --replace\`, which keeps what is there now; or move ${path} away.`
    return {
      finding: fault === undefined ? ok('store', path) : problem('store', `${path} is damaged: ${fault}`, hint),
      newest,
    }
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error)
    const hint = `Look at ${path}: it must be a file of this Foreword or an older one, readable by you.`
    return { finding: problem('store', message, hint), newest: undefined }
  }
}
