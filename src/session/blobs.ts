import { createHash, randomUUID } from 'node:crypto'
import { existsSync, unlinkSync } from 'node:fs'
import { open, readdir, readFile, rename, rm } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { makePrivateFolder, serialQueue, syncFolder } from '../platform.ts'
import { numberText } from '../context.ts'
import { storeError, StoreError } from './store-error.ts'
import type { StoredBytes } from './content.ts'

/**
 * The bytes of files, each under its SHA-256 (lowercase hexadecimal), so that the same bytes are stored once. When a promise
 * resolves, the data is on disk and survives `kill -9` and power loss. The bytes under a hash are always complete.
 *
 * One process writes, the one that holds the home; any number may read. Failures are `StoreError`s; what the given stream or
 * functions throw is passed on unchanged.
 */
export type BlobStore = ReturnType<typeof openBlobs>

export interface PutBlobOptions {
  readonly maxBytes: number
  /**
   * Called once the bytes are on disk, to record that they are needed. `remove` and `sweep` wait until it is done, so that
   * bytes that are stored again while they are being removed are not lost. It must not call these two.
   */
  readonly keep?: (blob: StoredBlob) => Promise<unknown>
}

/** Tells whether bytes are needed, such as whether the store has a file with this hash. */
export type IsNeeded = (hash: string) => boolean | Promise<boolean>

/** How many pieces and blobs were removed. */
export interface SweptBlobs {
  readonly pieces: number
  readonly blobs: number
}

/**
 * Opens the blobs in a folder, which is created with the first bytes. Only the user has access to it. With `shared` every byte is there,
 * too, before it is kept, and the folder has copies of what this machine has used.
 */
export function openBlobs(folder: string, shared?: StoredBytes) {
  const incoming = join(folder, 'incoming')
  const arriving = new Set<string>()
  /** Serializes checks and removals, so that no bytes become needed between the two. */
  const { add: alone } = serialQueue()

  return {
    /**
     * Stores the bytes of a stream. Nothing is left of a stream that failed.
     *
     * @throws StoreError `too-large` over `maxBytes` (the rest of the stream is not read), `full`, `readonly`, `io`
     */
    async put(stream: AsyncIterable<Uint8Array> | Iterable<Uint8Array>, { maxBytes, keep }: PutBlobOptions) {
      const name = randomUUID()
      const piece = join(incoming, name)
      arriving.add(name)
      try {
        const blob = await writeStream(stream, piece, maxBytes)
        await alone(async () => {
          await moveInto(path(blob.hash), piece)
          await shared?.put(blob.hash, readPieces(path(blob.hash)))
          await keep?.(blob)
        })
        return blob
      } finally {
        // What cannot be removed now is left to the next sweep.
        await rm(piece, { force: true }).catch(() => {})
        arriving.delete(name)
      }
    },

    /** The path of the bytes, whether they exist or not. `invalid` for a text that is not a hash. */
    path,
    /** The path of the bytes, which are copied to this machine where another one has them. */
    local,
    /** `not-found` where the bytes do not exist. */
    async read(hash: string) {
      const file = await local(hash)
      return new Uint8Array(await withStoreErrors(file, () => readFile(file)))
    },
    /** The bytes as a stream, which fails with `not-found` where they do not exist. */
    open: (hash: string) => streamOf(readLocal(hash)),
    /** Removes bytes unless they are needed. Returns whether they were removed. */
    remove: (hash: string, isNeeded?: IsNeeded) => alone(() => removeBlob(hash, isNeeded)),

    /** Removes what a crash left behind: incomplete pieces, and bytes that nothing needs. */
    async sweep(isNeeded: IsNeeded) {
      const pieces = (await namesIn(incoming)).filter((name) => !arriving.has(name)).map((name) => join(incoming, name))
      for (const piece of pieces) await withStoreErrors(piece, () => rm(piece, { force: true, recursive: true }))
      let blobs = 0
      for (const hash of await hashes()) if (await alone(() => removeBlob(hash, isNeeded))) blobs += 1
      if (shared) await share(shared, isNeeded)
      return { pieces: pieces.length, blobs }
    },
  }

  function path(hash: string): string {
    if (!HASH.test(hash)) throw new StoreError('invalid', 'the name of a blob is a SHA-256 in lowercase hexadecimal')
    return join(folder, hash.slice(0, 2), hash)
  }

  async function local(hash: string): Promise<string> {
    const file = path(hash)
    if (shared === undefined || existsSync(file)) return file
    const name = randomUUID()
    const piece = join(incoming, name)
    arriving.add(name)
    try {
      let isThere = false
      const pieces = async function* () {
        for await (const each of shared.read(hash)) {
          isThere = true
          yield each
        }
      }
      const found = await writeStream(pieces(), piece, Infinity)
      // Without a piece it would be an empty file, which has a hash, too.
      if (isThere && found.hash === hash) await moveInto(file, piece)
      return file
    } finally {
      await rm(piece, { force: true }).catch(() => {})
      arriving.delete(name)
    }
  }

  async function* readLocal(hash: string): AsyncGenerator<Uint8Array> {
    yield* readPieces(await local(hash))
  }

  /** What this machine has from before it shared anything, and what nobody needs any more. */
  async function share(bytes: StoredBytes, isNeeded: IsNeeded): Promise<void> {
    const there = await bytes.hashes()
    for (const hash of await hashes()) if (!there.has(hash)) await bytes.put(hash, readPieces(path(hash)))
    for (const hash of there) {
      await alone(async () => {
        if (!(await isNeeded(hash))) await bytes.remove(hash)
      })
    }
  }

  async function removeBlob(hash: string, isNeeded: IsNeeded = () => false): Promise<boolean> {
    const file = path(hash)
    if ((shared === undefined && !existsSync(file)) || (await isNeeded(hash))) return false
    await shared?.remove(hash)
    if (!existsSync(file)) return shared !== undefined
    await withStoreErrors(file, async () => unlinkSync(file))
    return true
  }

  /** Ignores anything else in the folder. */
  async function hashes(): Promise<readonly string[]> {
    const folders = (await namesIn(folder)).filter((name) => /^[0-9a-f]{2}$/.test(name))
    const names = await Promise.all(folders.map((start) => namesIn(join(folder, start))))
    return names.flatMap((inFolder, index) =>
      inFolder.filter((name) => HASH.test(name) && name.startsWith(folders[index]!)),
    )
  }
}

const HASH = /^[0-9a-f]{64}$/

/** The names in a folder; none where it does not exist. */
async function namesIn(folder: string): Promise<readonly string[]> {
  return existsSync(folder) ? await withStoreErrors(folder, () => readdir(folder)) : []
}

/** Stored bytes: their SHA-256, lowercase hexadecimal, and their number. */
export interface StoredBlob {
  readonly hash: string
  readonly bytes: number
}

const PIECE_BYTES = 64 * 1024

/** Writes a stream to a new file and waits for the disk. */
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
      if (bytes > maxBytes) {
        throw new StoreError(
          'too-large',
          `the file is larger than the limit of ${numberText(maxBytes)} bytes: send a smaller one`,
        )
      }
      hash.update(piece)
      await withStoreErrors(path, () => file.writeFile(piece))
    }
    await withStoreErrors(path, () => file.sync())
    return { hash: hash.digest('hex'), bytes }
  } finally {
    await file.close()
  }
}

/** A reader finds the whole file at its new place, or none. */
async function moveInto(path: string, from: string): Promise<void> {
  await withStoreErrors(path, async () => {
    await makePrivateFolder(dirname(path))
    await rename(from, path)
    await syncFolder(dirname(path))
  })
}

/** `ReadableStream.from`, which the types of browsers do not know: the page reads this room's types. */
function streamOf(pieces: AsyncGenerator<Uint8Array>): ReadableStream<Uint8Array> {
  return new ReadableStream<Uint8Array>({
    async pull(controller) {
      const { done, value } = await pieces.next()
      if (done) controller.close()
      else controller.enqueue(value)
    },
    cancel: async () => void (await pieces.return(undefined)),
  })
}

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

/** Turns failures of the file system into `StoreError`s. */
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
    const why = 'they were removed, or their file was imported, and imports have no bytes'
    return new StoreError('not-found', `there are no bytes at ${path}: ${why}. Upload the file again`, {
      cause: error,
    })
  }
  return new StoreError('io', `the disk failed at ${path}: check it (${error.message})`, { cause: error })
}
