import { createHash } from 'node:crypto'
import { createReadStream, createWriteStream } from 'node:fs'
import { copyFile, readFile, rm, stat } from 'node:fs/promises'
import { dirname, join, relative, sep } from 'node:path'
import { pipeline } from 'node:stream/promises'
import { createGzip } from 'node:zlib'
import type { Pack } from 'tar-stream'
import { heldMessage, withOpened } from '../../platform.ts'
import type { AuditKey } from '../../session.ts'
import {
  type ArchiveHeader,
  contentsHash,
  DIGESTS_ENTRY,
  type FileDigest,
  hashBytes,
  HEADER_ENTRY,
  HOME_FOLDER,
  SIGNATURE_ENTRY,
} from './archive-format.ts'
import { diskFault, isDiskFull } from './backup-error.ts'
import { type HomeFile, isMissing, type RegularFile } from './home-files.ts'

interface ArchiveContent {
  readonly header: ArchiveHeader
  readonly files: readonly HomeFile[]
  /** A folder for copies of large files that may change while they are read. */
  readonly preparing: string
  /** Signs the archive; without one it has no signature. */
  readonly key?: AuditKey | undefined
}

interface WriteOptions {
  readonly signal?: AbortSignal | undefined
  readonly onProgress?: ((bytes: number) => void) | undefined
}

/** Files of this size and more are copied before they are read, bytes: others fit in memory. */
const LARGE = 16 * 1024 * 1024

interface WrittenArchive {
  readonly digests: readonly FileDigest[]
  readonly leftOut: readonly string[]
}

/** Writes an archive to a new file that only its owner can read, and waits for the disk. */
export async function writeArchive(
  target: string,
  content: ArchiveContent,
  options: WriteOptions = {},
): Promise<WrittenArchive> {
  const { pack } = await import('tar-stream')
  const { signal } = options
  // Streams that are broken off before they flow fail once more when nobody listens.
  signal?.throwIfAborted()
  const packing = pack()
  const stream = createWriteStream(target, { flags: 'wx', mode: 0o600, flush: true })
  const written = pipeline(packing, createGzip(), stream, signal ? { signal } : {})
  const filled = fill(packing, content, options).catch((error: unknown) => {
    packing.destroy(error instanceof Error ? error : new Error(String(error)))
    throw error
  })
  const [archive] = await Promise.all([filled, written])
  return archive
}

async function fill(
  packing: Pack,
  { header, files, preparing, key }: ArchiveContent,
  { signal, onProgress }: WriteOptions,
): Promise<WrittenArchive> {
  const digests: FileDigest[] = []
  const leftOut: string[] = []
  const contents = contentsHash()
  let bytes = 0
  await addText(packing, HEADER_ENTRY, header)
  for (const file of files) {
    signal?.throwIfAborted()
    const about = { name: HOME_FOLDER + file.path, mode: file.mode, mtime: file.modified }
    if (file.type === 'directory') {
      await addEntry(packing, { ...about, name: `${about.name}/`, type: 'directory' })
      contents.add(file)
      continue
    }
    if (file.type === 'symlink') {
      await addEntry(packing, { ...about, type: 'symlink', linkname: file.target })
      contents.add(file)
      continue
    }
    const added = await addFile(packing, about, file, preparing).catch(whyUnreadable)
    if (typeof added === 'object') {
      digests.push({ path: file.path, ...added })
      contents.add({ ...file, sha256: added.sha256 })
      onProgress?.((bytes += added.bytes))
    } else if (added !== undefined) leftOut.push(`${file.path}: ${added}`)
  }
  await addText(packing, DIGESTS_ENTRY, digests)
  if (key) {
    const { id, publicKey } = key
    await addText(packing, SIGNATURE_ENTRY, { key: id, publicKey, signature: key.sign(contents.statement(header)) })
  }
  packing.finalize()
  return { digests, leftOut }
}

/** The reason; `undefined` for a file that was removed since it was listed. */
function whyUnreadable(error: unknown): string | undefined {
  if (!(error instanceof UnreadableError)) throw error
  return error.isMissing ? undefined : error.message
}

interface About {
  readonly name: string
  readonly mode: number
  readonly mtime: Date
}

/** A file of the home that could not be read: it is reported, and the others are saved. */
class UnreadableError extends Error {
  readonly isMissing: boolean

  constructor(cause: unknown) {
    super(heldMessage(cause), { cause })
    this.isMissing = isMissing(cause)
  }
}

async function addFile(
  packing: Pack,
  about: About,
  file: RegularFile,
  preparing: string,
): Promise<Omit<FileDigest, 'path'>> {
  const { source, bytes, stable = false } = file
  if (bytes < LARGE) {
    const content = await readFrom(file, (path) => readFile(path)).catch((error: unknown) => {
      throw new UnreadableError(error)
    })
    await addEntry(packing, { ...about, type: 'file' }, content)
    return { bytes: content.length, sha256: createHash('sha256').update(content).digest('hex') }
  }
  if (stable) return addStream(packing, about, source)
  const copy = join(preparing, 'large')
  await readFrom(file, (path) => copyFile(path, copy)).catch((error: unknown) => {
    if (isDiskFull(error)) throw diskFault(error, dirname(preparing))
    throw new UnreadableError(error)
  })
  try {
    return await addStream(packing, about, copy)
  } finally {
    await rm(copy, { force: true })
  }
}

/** Gives the very file that lies there to `read`, whatever replaces a part of its path meanwhile. */
function readFrom<Value>({ source, root }: RegularFile, read: (path: string) => Promise<Value>): Promise<Value> {
  if (root === undefined) return read(source)
  return withOpened(root, relative(root, source).split(sep), async (path) => {
    if ((await stat(path)).isFile()) return read(path)
    throw new Error('it is no file any more')
  })
}

async function addStream(packing: Pack, about: About, source: string): Promise<Omit<FileDigest, 'path'>> {
  const { size } = await stat(source)
  const hash = createHash('sha256')
  const { promise, resolve, reject } = Promise.withResolvers<void>()
  const entry = packing.entry({ ...about, type: 'file', size }, (error) => (error ? reject(error) : resolve()))
  const sending = pipeline(createReadStream(source, { highWaterMark: 1024 * 1024 }), hashBytes(hash), entry)
  await Promise.all([sending, promise])
  return { bytes: size, sha256: hash.digest('hex') }
}

function addText(packing: Pack, name: string, value: unknown): Promise<void> {
  const about = { name, mode: 0o600, mtime: new Date(0), type: 'file' as const }
  return addEntry(packing, about, Buffer.from(`${JSON.stringify(value)}\n`))
}

function addEntry(
  packing: Pack,
  about: About & { readonly type: 'file' | 'directory' | 'symlink'; readonly linkname?: string },
  content?: Buffer,
): Promise<void> {
  return new Promise((resolve, reject) => {
    const done = (error?: Error | null) => (error ? reject(error) : resolve())
    if (content === undefined) packing.entry(about, done)
    else packing.entry(about, content, done)
  })
}
