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
    const newest = await withStore(
      home,
      async (store) => (await store.sessions({ limit: 1 }))[0]?.updated,
      () => undefined,
    )
    const fault = await firstFault(path)
    const mend = `Stop Foreword, keep a copy of ${path}, then put back your last backup or move the file away.`
    return {
      finding: fault === undefined ? ok('store', path) : problem('store', `${path} is damaged: ${fault}`, mend),
      newest,
    }
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error)
    const mend = `Look at ${path}: it must be a file of this Foreword or an older one, readable by you.`
    return { finding: problem('store', message, mend), newest: undefined }
  }
}

async function firstFault(path: string): Promise<string | undefined> {
  const { DatabaseSync } = await import('node:sqlite')
  const database = new DatabaseSync(path, { readOnly: true, timeout: 5_000 })
  try {
    const row = database.prepare('pragma quick_check(1)').get()
    const found = row === undefined ? 'ok' : String(Object.values(row)[0])
    return found === 'ok' ? undefined : found
  } finally {
    database.close()
  }
}
