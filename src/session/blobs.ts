import { createHash, randomUUID } from 'node:crypto'
import { existsSync, unlinkSync } from 'node:fs'
import { open, readdir, readFile, rename, rm } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { makePrivateFolder, serialQueue, syncFolder } from '../platform.ts'
import { storeError, StoreError } from './store-error.ts'

/**
 * The bytes of files, each under the SHA-256 of itself (lowercase hexadecimal), so that the same bytes are kept once. A
 * promise that resolves means: it is on disk and survives `kill -9` and power loss. What stands under a hash is whole.
 *
 * One process writes, the one that holds the home; any number may read. What fails is a `StoreError`, but what the given
 * stream or the given functions throw comes through as it is.
 */
export interface BlobStore {
  /**
   * Takes bytes from a stream, piece by piece. Nothing is left of those that could not be taken.
   *
   * @throws StoreError `too-large` over `maxBytes` (the rest of the stream is not asked for), `full`, `readonly`, `io`
   */
  put(stream: AsyncIterable<Uint8Array> | Iterable<Uint8Array>, options: PutBlobOptions): Promise<StoredBlob>
  /** Where the bytes are, or would be. `invalid` for what is no hash. */
  path(hash: string): string
  /** `not-found` where there are none. */
  read(hash: string): Promise<Uint8Array>
  /** The bytes in pieces. It is the stream that fails with `not-found`. */
  open(hash: string): ReadableStream<Uint8Array>
  /** Answers whether bytes were removed. Those that are needed stay. */
  remove(hash: string, isNeeded?: IsNeeded): Promise<boolean>
  /** Removes what a crash left behind: pieces that never became whole, and bytes that nothing needs. */
  sweep(isNeeded: IsNeeded): Promise<SweptBlobs>
}

export interface PutBlobOptions {
  readonly maxBytes: number
  /**
   * Called once the bytes are on disk, to note who needs them. Until it is done no `remove` or `sweep` asks whether they
   * are needed, so that bytes which come again while they are being removed are not lost. It may not call these two.
   */
  readonly keep?: (blob: StoredBlob) => Promise<unknown>
}

/** Such as: whether the store has a file of this hash. */
export type IsNeeded = (hash: string) => boolean | Promise<boolean>

/** How many were removed. */
export interface SweptBlobs {
  readonly pieces: number
  readonly blobs: number
}

/** The blobs in a folder, which is made when the first bytes come. All in it is its own user's alone. */
export function openBlobs(folder: string): BlobStore {
  const incoming = join(folder, 'incoming')
  const arriving = new Set<string>()
  /** Between asking whether bytes are needed and removing them, nobody may come to need them. */
  const { add: alone } = serialQueue()

  return {
    async put(stream, { maxBytes, keep }) {
      const name = randomUUID()
      const piece = join(incoming, name)
      arriving.add(name)
      try {
        const blob = await writeStream(stream, piece, maxBytes)
        await alone(async () => {
          await moveInto(path(blob.hash), piece)
          await keep?.(blob)
        })
        return blob
      } finally {
        // What cannot be removed now is for a sweep.
        await rm(piece, { force: true }).catch(() => {})
        arriving.delete(name)
      }
    },

    path,
    async read(hash) {
      const file = path(hash)
      return new Uint8Array(await withStoreErrors(file, () => readFile(file)))
    },
    open: (hash) => ReadableStream.from(readPieces(path(hash))),
    remove: (hash, isNeeded) => alone(() => removeBlob(hash, isNeeded)),

    async sweep(isNeeded) {
      const pieces = (await namesIn(incoming)).filter((name) => !arriving.has(name)).map((name) => join(incoming, name))
      for (const piece of pieces) await withStoreErrors(piece, () => rm(piece, { force: true, recursive: true }))
      let blobs = 0
      for (const hash of await hashes()) if (await alone(() => removeBlob(hash, isNeeded))) blobs += 1
      return { pieces: pieces.length, blobs }
    },
  }

  function path(hash: string): string {
    if (!HASH.test(hash)) throw new StoreError('invalid', 'a blob is named by a SHA-256 in lowercase hexadecimal')
    return join(folder, hash.slice(0, 2), hash)
  }

  async function removeBlob(hash: string, isNeeded: IsNeeded = () => false): Promise<boolean> {
    const file = path(hash)
    if (!existsSync(file) || (await isNeeded(hash))) return false
    await withStoreErrors(file, async () => unlinkSync(file))
    return true
  }

  /** What else lies in the folder is not ours. */
  async function hashes(): Promise<readonly string[]> {
    const folders = (await namesIn(folder)).filter((name) => /^[0-9a-f]{2}$/.test(name))
    const names = await Promise.all(folders.map((start) => namesIn(join(folder, start))))
    return names.flatMap((within, index) =>
      within.filter((name) => HASH.test(name) && name.startsWith(folders[index]!)),
    )
  }
}

const HASH = /^[0-9a-f]{64}$/

/** A missing folder is an empty one. */
async function namesIn(folder: string): Promise<readonly string[]> {
  return existsSync(folder) ? await withStoreErrors(folder, () => readdir(folder)) : []
}

/** Bytes that are on the disk: their SHA-256, lowercase hexadecimal, and how many they are. */
export interface StoredBlob {
  readonly hash: string
  readonly bytes: number
}

const PIECE_BYTES = 64 * 1024

/**
 * Writes a stream to a new file and waits for the disk.
 *
 * @throws StoreError `too-large`, `full`, `readonly`, `io`, and what the stream throws
 */
async function writeStream(
  stream: AsyncIterable<Uint8Array> | Iterable<Uint8Array>,
  path: string,
  maxBytes: number,
): Promise<StoredBlob> {
  await withStoreErrors(path, () => makePrivateFolder(dirname(path)))
  const file = await withStoreErrors(path, () => open(path, 'wx', 0o600))
  try {
    const hash = createHash('sha256')
    let bytes = 0
    for await (const piece of stream) {
      bytes += piece.byteLength
      if (bytes > maxBytes) throw tooLarge(maxBytes)
      hash.update(piece)
      await withStoreErrors(path, () => file.writeFile(piece))
    }
    await withStoreErrors(path, () => file.sync())
    return { hash: hash.digest('hex'), bytes }
  } finally {
    await file.close()
  }
}

function tooLarge(maxBytes: number): StoreError {
  return new StoreError(
    'too-large',
    `this has more than the ${maxBytes} bytes that a file may have: hand in less of it`,
  )
}

/** A reader finds the whole file at its new place, or none. */
async function moveInto(path: string, from: string): Promise<void> {
  await withStoreErrors(path, async () => {
    await makePrivateFolder(dirname(path))
    await rename(from, path)
    await syncFolder(dirname(path))
  })
}

/** @throws StoreError `not-found`, `io` */
async function* readPieces(path: string): AsyncGenerator<Uint8Array> {
  const file = await withStoreErrors(path, () => open(path, 'r'))
  try {
    for (;;) {
      const { buffer, bytesRead } = await withStoreErrors(path, () => file.read(new Uint8Array(PIECE_BYTES)))
      if (bytesRead === 0) return
      yield buffer.subarray(0, bytesRead)
    }
  } finally {
    await file.close()
  }
}

/** Says in the store's words what the file system refuses. */
async function withStoreErrors<Result>(path: string, work: () => Promise<Result>): Promise<Result> {
  try {
    return await work()
  } catch (error) {
    throw toStoreError(error, path)
  }
}

function toStoreError(error: unknown, path: string): unknown {
  if (error instanceof StoreError || !(error instanceof Error) || !('code' in error)) return error
  const known = storeError(error, path)
  if (known !== error) return known
  if (error.code === 'ENOENT') {
    const why = 'they were removed, or their file came with an import, which brings none'
    return new StoreError('not-found', `there are no bytes at ${path}: ${why}. Hand the file in again`, {
      cause: error,
    })
  }
  return new StoreError('io', `the disk failed at ${path}: check it (${error.message})`, { cause: error })
}
