import type { Clock } from '../../platform.ts'
import { existsSync } from 'node:fs'
import { lstat, readdir, rm } from 'node:fs/promises'
import { basename, join } from 'node:path'
import type { AnyCapability, IndexFile } from '../../capability.ts'
import { compactSearchIndex } from '../../search.ts'
import { compactStore, openBlobs, storePath } from '../../session.ts'
import { homeAt, peopleHomesIn } from '../../runtime.ts'
import { refuseDatabase } from './backup-error.ts'
import { PREPARING } from './home-files.ts'

/** What a compaction took away, and what is left. */
interface Compacted {
  /** Contents that nothing named any more: prompts, results and texts of sessions and files that were deleted. */
  readonly contents: number
  /** Files of bytes that nothing named any more. */
  readonly files: number
  /** Of everything in `data/`, bytes on the disk. */
  readonly before: number
  readonly after: number
}

/**
 * Removes what nothing in a home references any more, and returns the space to the disk. For the one process that holds
 * the home, while nothing else has it open. `capabilities` are those of the home, whose search indexes shrink too.
 *
 * @throws BackupError `elsewhere`; StoreError `busy`, `corrupt`, `full`, `io`, `newer`; SearchError
 */
export async function compactHome(
  home: string,
  clock: Clock,
  onProgress: (text: string) => void,
  capabilities: readonly AnyCapability[] = [],
): Promise<Compacted> {
  await refuseDatabase(home)
  const own = await compactData(home, clock, onProgress, capabilities)
  const others: Compacted[] = []
  for (const each of await peopleHomesIn(home)) {
    onProgress(`the home of ${basename(each)}`)
    others.push(await compactData(each, clock, onProgress, capabilities))
  }
  return [own, ...others].reduce((sum, each) => ({
    contents: sum.contents + each.contents,
    files: sum.files + each.files,
    before: sum.before + each.before,
    after: sum.after + each.after,
  }))
}

async function compactData(
  home: string,
  clock: Clock,
  onProgress: (text: string) => void,
  capabilities: readonly AnyCapability[],
): Promise<Compacted> {
  const { data } = homeAt(home)
  const before = await folderSize(data)
  if (!existsSync(storePath(data))) return { contents: 0, files: 0, before, after: before }
  // What a backup that was killed has left behind.
  for (const name of await readdir(data))
    if (name.startsWith(PREPARING)) await rm(join(data, name), { recursive: true, force: true })
  const { contents, fileHashes } = await compactStore(storePath(data), clock, onProgress)
  onProgress('looking for files that nothing refers to')
  const needed = new Set(fileHashes)
  const { blobs, pieces } = await openBlobs(join(data, 'files')).sweep((hash) => needed.has(hash))
  for (const { file, title } of [...capabilities.flatMap((each) => each.home?.indexes ?? []), historyIndex]) {
    const index = join(data, file)
    if (!existsSync(index)) continue
    onProgress(`shrinking ${title}`)
    compactSearchIndex(index)
  }
  return { contents, files: blobs + pieces, before, after: await folderSize(data) }
}

const historyIndex: IndexFile = { file: 'history.sqlite', title: 'the index of the history' }

/** Bytes of a folder with everything in it but what SQLite keeps beside a file only while it is open. */
async function folderSize(folder: string): Promise<number> {
  if (!existsSync(folder)) return 0
  let bytes = 0
  for (const name of await readdir(folder, { recursive: true })) {
    if (name.endsWith('.sqlite-shm')) continue
    const facts = await lstat(join(folder, name)).catch(() => undefined)
    if (facts?.isFile()) bytes += facts.size
  }
  return bytes
}
