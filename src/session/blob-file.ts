import { createHash } from 'node:crypto'
import { open, rename } from 'node:fs/promises'
import { dirname } from 'node:path'
import { makePrivateFolder, syncFolder } from './private-folder.ts'
import { storeError } from './sqlite/store-file.ts'
import { StoreError } from './store-error.ts'

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
export async function receive(
  stream: AsyncIterable<Uint8Array> | Iterable<Uint8Array>,
  path: string,
  maxBytes: number,
): Promise<StoredBlob> {
  await told(path, () => makePrivateFolder(dirname(path)))
  const file = await told(path, () => open(path, 'wx', 0o600))
  try {
    const hash = createHash('sha256')
    let bytes = 0
    for await (const piece of stream) {
      bytes += piece.byteLength
      if (bytes > maxBytes) throw tooLarge(maxBytes)
      hash.update(piece)
      await told(path, () => file.writeFile(piece))
    }
    await told(path, () => file.sync())
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
export async function moveInto(path: string, from: string): Promise<void> {
  await told(path, async () => {
    await makePrivateFolder(dirname(path))
    await rename(from, path)
    await syncFolder(dirname(path))
  })
}

/** @throws StoreError `not-found`, `io` */
export async function* piecesOf(path: string): AsyncGenerator<Uint8Array> {
  const file = await told(path, () => open(path, 'r'))
  try {
    for (;;) {
      const { buffer, bytesRead } = await told(path, () => file.read(new Uint8Array(PIECE_BYTES)))
      if (bytesRead === 0) return
      yield buffer.subarray(0, bytesRead)
    }
  } finally {
    await file.close()
  }
}

/** Says in the store's words what the file system refuses. */
export async function told<Result>(path: string, work: () => Promise<Result>): Promise<Result> {
  try {
    return await work()
  } catch (error) {
    throw meaningOf(error, path)
  }
}

function meaningOf(error: unknown, path: string): unknown {
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
