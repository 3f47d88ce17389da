import { type FileHandle, mkdir, open, rename, rm } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { noteWrittenFile } from './written-files.ts'

/** Permissions and owner of a new file. */
export interface NewFileOptions {
  /** Permission bits; `umask` for those of any file that this process creates. 0600 unless given: the owner alone. */
  readonly mode?: number | 'umask' | undefined
  /** The owner of the file, where this process may set it. */
  readonly owner?: { readonly uid: number; readonly gid: number } | undefined
}

export interface AtomicFileOptions extends NewFileOptions {
  /** Path of the file that is written first, in the same folder; a unique name unless given. */
  readonly beside?: string
  /**
   * Called with the path of the new content when that is on disk beside the old one. Where it returns `false` or throws,
   * nothing is replaced.
   */
  readonly check?: (beside: string) => Promise<boolean | void>
}

/**
 * Writes a file whole or not at all: a reader finds the old content or the new one. The content is written to a file beside
 * it, brought to disk, and renamed; when the promise resolves, the name is on disk as well. A symbolic link at
 * `path` is itself replaced: resolve it first to replace its target.
 *
 * @returns `false` where `check` refused
 * @throws what the file system and `check` throw; nothing is left beside the file then
 */
export async function writeFileAtomically(
  path: string,
  content: string | Uint8Array,
  options: AtomicFileOptions = {},
): Promise<boolean> {
  const { beside = join(dirname(path), `.${crypto.randomUUID()}.tmp`), check } = options
  let isReplaced = false
  try {
    await writeNewFile(beside, content, options)
    if ((await check?.(beside)) === false) return false
    await rename(beside, path)
    isReplaced = true
  } finally {
    if (!isReplaced) await rm(beside, { force: true })
  }
  await syncFolder(dirname(path))
  await noteWrittenFile(path)
  return true
}

/** Writes a new file and syncs its content to disk. Throws `EEXIST` where the file exists. */
export async function writeNewFile(
  path: string,
  content: string | Uint8Array,
  { mode = 0o600, owner }: NewFileOptions = {},
): Promise<void> {
  const file = await open(path, 'wx', mode === 'umask' ? 0o666 : 0o600)
  try {
    await file.writeFile(content)
    if (owner) await changeOwner(file, owner)
    if (typeof mode === 'number' && mode !== 0o600) await file.chmod(mode)
    await file.sync()
  } finally {
    await file.close()
  }
  await noteWrittenFile(path)
}

async function changeOwner(file: FileHandle, { uid, gid }: NonNullable<NewFileOptions['owner']>): Promise<void> {
  const own = await file.stat()
  if (own.uid !== uid || own.gid !== gid) await file.chown(uid, gid).catch(() => {})
}

/** Creates a folder and its parents, for the owner alone (0700), and syncs their names to disk. */
export async function makePrivateFolder(path: string): Promise<void> {
  const made = await mkdir(path, { recursive: true, mode: 0o700 })
  if (made === undefined) return
  for (let folder = path; folder.length >= made.length; folder = dirname(folder)) await syncFolder(dirname(folder))
}

/**
 * Syncs the names in a folder to disk. Does nothing where the system cannot sync folders, as on Windows and some network
 * file systems. Throws where the disk fails.
 */
export async function syncFolder(path: string): Promise<void> {
  if (process.platform === 'win32') return
  try {
    const folder = await open(path, 'r')
    try {
      await folder.sync()
    } finally {
      await folder.close()
    }
  } catch (error) {
    if (!CANNOT.has((error as NodeJS.ErrnoException).code)) throw error
  }
}

const CANNOT: ReadonlySet<string | undefined> = new Set([
  'EINVAL',
  'ENOTSUP',
  'EOPNOTSUPP',
  'ENOSYS',
  'EISDIR',
  'EACCES',
  'EPERM',
])
