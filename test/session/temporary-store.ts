import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { TestContext } from 'node:test'

/** The path of a store file that is not there yet, in a folder that goes with the test. */
export async function temporaryStore(context: TestContext): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'foreword-store-'))
  context.after(() => rm(folder, { recursive: true, force: true }))
  return join(folder, 'store.sqlite')
}
