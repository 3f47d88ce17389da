import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { TestContext } from 'node:test'

/** The path of a folder that is not there yet, and goes with the test. */
export async function temporaryFolder(context: TestContext): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'foreword-blobs-'))
  context.after(() => rm(folder, { recursive: true, force: true }))
  return join(folder, 'data', 'files')
}
