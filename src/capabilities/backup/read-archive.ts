import { createHash } from 'node:crypto'
import { createReadStream } from 'node:fs'
import { stat } from 'node:fs/promises'
import { type Readable, Writable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { callbackify } from 'node:util'
import { createGunzip } from 'node:zlib'
import type { Headers } from 'tar-stream'
import { defined, errorMessage } from '../../platform.ts'
import { auditKeyId, isSignature } from '../../session.ts'
import {
  type ArchiveHeader,
  archiveHeader,
  type ArchiveSignature,
  archiveSignature,
  contentsHash,
  DIGESTS_ENTRY,
  type FileDigest,
  fileDigests,
  FORMAT,
  hashBytes,
  HEADER_ENTRY,
  HOME_FOLDER,
  SIGNATURE_ENTRY,
} from './archive-format.ts'
import { BackupError } from './backup-error.ts'

export interface ArchivedFile {
  readonly type: 'file' | 'directory' | 'symlink'
  /** Below the home, with `/`, never with `..`. */
  readonly path: string
  readonly mode: number
  readonly modified: Date
  readonly target?: string | undefined
}

interface ReadOptions {
  readonly signal?: AbortSignal | undefined
  /** Bytes of the archive that were read so far, of how many. */
  readonly onProgress?: ((bytes: number, all: number) => void) | undefined
  /** Takes one file; the bytes of a regular one go into the stream that it answers. */
  readonly onFile?: (file: ArchivedFile) => Promise<Writable | undefined>
}

/** What an archive contains, once every byte of it was verified. */
interface ArchiveFacts {
  readonly header: ArchiveHeader
  readonly digests: readonly FileDigest[]
  /** Of which everything is verified: the archive was made with this key. */
  readonly signature?: ArchiveSignature
}

/** No JSON of an archive's own is longer, bytes: a list of a million files is some 200 MB. */
const JSON_BYTES = 512 * 1024 * 1024

/** Reads an archive and compares each file with its digest. Throws BackupError `no-archive`, `damaged`, `newer`, `io`. */
export async function readArchive(
  path: string,
  { signal, onProgress, onFile }: ReadOptions = {},
): Promise<ArchiveFacts> {
  const { extract } = await import('tar-stream')
  signal?.throwIfAborted()
  const facts = await stat(path).catch((error: unknown) => {
    throw new BackupError('io', `Cannot read the archive ${path}: ${errorMessage(error)}`, { cause: error })
  })
  if (!facts.isFile()) throw new BackupError('no-archive', `${path} is not a file. Name the archive itself.`)
  const { size } = facts
  const found = new Map<string, FileDigest>()
  const contents = contentsHash()
  const state: { -readonly [Key in keyof ArchiveFacts]?: ArchiveFacts[Key] } = {}
  const unpacking = extract()
  /** The entry that is being taken: a failure elsewhere does not end it at once. */
  let taking: Promise<void> = Promise.resolve()
  unpacking.on(
    'entry',
    callbackify((headers: Headers, entry: Readable) => (taking = take(headers, entry))),
  )
  let read = 0
  const source = createReadStream(path, { highWaterMark: 256 * 1024 })
  source.on('data', (piece) => onProgress?.((read += piece.length), size))
  const unzipping = createGunzip()
  // What the streams still find in their last pieces, when the pipeline has failed already, has no other listener.
  for (const stream of [unzipping, unpacking]) stream.on('error', () => {})
  try {
    await pipeline(source, unzipping, unpacking, signal ? { signal } : {})
  } catch (error) {
    signal?.throwIfAborted()
    throw error instanceof BackupError || isRefusal(error) ? error : unreadable(path, state.header, error)
  } finally {
    // When this has returned, nothing is written any more.
    await taking.catch(() => {})
  }
  const compared = compareDigests(path, state, found)
  if (!isSignedContent(compared, contents)) {
    throw new BackupError('damaged', `The archive ${path} was changed since it was signed.`)
  }
  return compared

  async function take(headers: Headers, entry: Readable): Promise<void> {
    entry.on('error', () => {})
    const { name, size: bytes = 0 } = headers
    const isOwn = name === HEADER_ENTRY || name === DIGESTS_ENTRY || name === SIGNATURE_ENTRY
    // Its stream would never end.
    if (!Number.isSafeInteger(bytes) || bytes < 0 || (isOwn && headers.type !== 'file')) throw noArchive(path)
    if (!state.header) {
      if (headers.name !== HEADER_ENTRY) throw noArchive(path)
      state.header = parseHeader(path, await parseJson(entry))
    } else if (headers.name === DIGESTS_ENTRY) state.digests = parseDigests(path, await parseJson(entry))
    else if (headers.name === SIGNATURE_ENTRY) state.signature = parseSignature(path, await parseJson(entry))
    else await takeFile(headers, entry)
  }

  async function takeFile(headers: Headers, entry: Readable): Promise<void> {
    const file = archivedFile(path, headers)
    if (found.has(file.path)) throw new BackupError('damaged', `The archive ${path} contains ${file.path} twice.`)
    const target = await onFile?.(file)
    if (file.type !== 'file') {
      contents.add(file)
      return void entry.resume()
    }
    const hash = createHash('sha256')
    await pipeline(entry, hashBytes(hash), target ?? new Writable({ write: (_piece, _encoding, done) => done() }))
    const sha256 = hash.digest('hex')
    contents.add({ ...file, sha256 })
    found.set(file.path, { path: file.path, bytes: headers.size ?? 0, sha256 })
  }
}

/** Errors of the disk that the archive is read from or unpacked to: their messages name the fault. */
function isRefusal(error: unknown): boolean {
  return error instanceof Error && 'syscall' in error
}

function noArchive(path: string): BackupError {
  return new BackupError('no-archive', `${path} is not an archive of \`foreword backup\`.`)
}

function unreadable(path: string, header: ArchiveHeader | undefined, cause: unknown): BackupError {
  if (!header) return new BackupError('no-archive', noArchive(path).message, { cause })
  return new BackupError('damaged', `The archive ${path} is damaged or was cut off: ${errorMessage(cause)}`, { cause })
}

function parseHeader(path: string, value: unknown): ArchiveHeader {
  const header = archiveHeader.safeParse(value)
  if (!header.success) throw noArchive(path)
  if (header.data.format <= FORMAT) return header.data
  const { version } = header.data
  throw new BackupError(
    'newer',
    `${path} was written by a newer Foreword (${version}). Update Foreword, then try again.`,
  )
}

function parseDigests(path: string, value: unknown): readonly FileDigest[] {
  const digests = fileDigests.safeParse(value)
  if (digests.success) return digests.data
  throw new BackupError('damaged', `Cannot read the list of digests in ${path}.`)
}

function parseSignature(path: string, value: unknown): ArchiveSignature {
  const signature = archiveSignature.safeParse(value)
  if (signature.success) return signature.data
  throw new BackupError('damaged', `Cannot read the signature of ${path}.`)
}

/** Whether everything is as it was signed, where there is a signature. */
function isSignedContent({ header, signature }: ArchiveFacts, contents: ReturnType<typeof contentsHash>): boolean {
  if (!signature) return true
  try {
    const { key, publicKey } = signature
    return auditKeyId(publicKey) === key && isSignature(signature.signature, contents.statement(header), publicKey)
  } catch {
    return false
  }
}

async function parseJson(entry: Readable): Promise<unknown> {
  const pieces: Uint8Array[] = []
  let bytes = 0
  for await (const piece of entry as AsyncIterable<Uint8Array>) {
    bytes += piece.length
    if (bytes > JSON_BYTES) return undefined
    pieces.push(piece)
  }
  try {
    return JSON.parse(Buffer.concat(pieces).toString('utf8'))
  } catch {
    return undefined
  }
}

function archivedFile(archive: string, header: Headers): ArchivedFile {
  const { name, type, mode = 0o600, mtime = new Date(0), linkname } = header
  const path = name.startsWith(HOME_FOLDER) ? name.slice(HOME_FOLDER.length).replace(/\/$/, '') : ''
  const parts = path.split('/')
  const escapes = parts.some((part) => part === '' || part === '.' || part === '..') || /[\\\0]|^[A-Za-z]:/.test(path)
  if (escapes || (type !== 'file' && type !== 'directory' && type !== 'symlink')) {
    throw new BackupError(
      'no-archive',
      `The archive ${archive} contains ${JSON.stringify(name)}, which no backup contains.`,
    )
  }
  return { type, path, mode: mode & 0o777, modified: mtime, target: linkname ?? undefined }
}

/** The digests, if everything was read and nothing has changed. */
function compareDigests(
  path: string,
  { header, digests, signature }: Partial<ArchiveFacts>,
  found: ReadonlyMap<string, FileDigest>,
): ArchiveFacts {
  if (!header) throw noArchive(path)
  if (!digests) throw new BackupError('damaged', `The archive ${path} was cut off: its list of digests is missing.`)
  const listed = new Set(digests.map((digest) => digest.path))
  const wrong =
    digests.find((digest) => found.get(digest.path)?.sha256 !== digest.sha256)?.path ??
    [...found.keys()].find((name) => !listed.has(name))
  if (wrong === undefined) return { header, digests, ...defined({ signature }) }
  throw new BackupError('damaged', `The archive ${path} is damaged: ${wrong} has changed since it was saved.`)
}
