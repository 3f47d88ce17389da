import { stat } from 'node:fs/promises'
import type { Document, Unreadable } from './document.ts'
import { type ReadingLimits, tooManyBytes, usualLimits } from './reading-limits.ts'
import { type ReadingProcess, type ReadingSource, startReadingProcess } from './reading-process.ts'
import type { ReadingProgress } from './reading-task.ts'
import { createSemaphore } from './semaphore.ts'

export interface DocumentReaderOptions {
  readonly limits?: Partial<ReadingLimits>
  /** Id of the counter of tokens, such as `tokenx`: texts are counted in the process that reads them, so that no caller waits for it. */
  readonly counter?: string
  /** Files that are read at the same time, each in a process of its own. 2 unless given. */
  readonly atOnce?: number
  /** Milliseconds after which a process that has nothing to do ends. 10,000 unless given. */
  readonly idleMs?: number
}

/** One file: its bytes, or the path of a regular file. */
type ReadingRequest = ReadingSource & {
  /** Decides among the kinds of plain text only: the bytes decide what a file is. */
  readonly name: string
  /** Where a page comes from: its links become absolute. */
  readonly url?: string
  /** The character set that the sender of the bytes declared, as in `Content-Type`. */
  readonly charset?: string
  readonly signal?: AbortSignal
  /** Called after each page of a PDF. */
  readonly onProgress?: (progress: ReadingProgress) => void
}

/** Extracts the text of files. */
export interface DocumentReader {
  /**
   * The text of the file, or why it cannot be read. Nothing in a file makes it reject, block, or use more time and memory
   * than the limits give it. Rejects with the reason of `signal`, when the reader is closed, and where the path leads to no
   * file. The bytes stay the caller's; they must not change meanwhile.
   */
  read(request: ReadingRequest): Promise<Document | Unreadable>
  /** Ends every reading. Resolves when no process is left. */
  close(): Promise<void>
}

/**
 * Reads in processes of their own, which start with the first file, serve one after another, and end when there is nothing
 * to do. Nothing starts before that, and an idle one keeps no program from ending.
 */
export function createDocumentReader(options: DocumentReaderOptions = {}): DocumentReader {
  const limits: ReadingLimits = { ...usualLimits, ...options.limits }
  const { counter } = options
  const semaphore = createSemaphore(options.atOnce ?? 2)
  const closing = new AbortController()
  const idle = new Map<ReadingProcess, NodeJS.Timeout>()
  const all = new Set<ReadingProcess>()

  const taken = (): ReadingProcess => {
    const [first] = idle
    if (first === undefined) {
      const started = startReadingProcess(limits)
      all.add(started)
      void started.ended.then(() => all.delete(started) && idle.delete(started))
      return started
    }
    const [process, timer] = first
    clearTimeout(timer)
    idle.delete(process)
    return process
  }

  const putBack = (process: ReadingProcess) => {
    if (process.isUsable()) idle.set(process, setTimeout(process.end, options.idleMs ?? 10_000).unref())
    else process.end()
  }

  const readOnce = async (request: ReadingRequest, signal: AbortSignal) => {
    const process = taken()
    try {
      return await process.read({ ...request, ...(counter !== undefined && { counter }) }, signal)
    } finally {
      putBack(process)
    }
  }

  return {
    async read(request) {
      const signal = request.signal ? AbortSignal.any([closing.signal, request.signal]) : closing.signal
      signal.throwIfAborted()
      const size = 'path' in request ? await fileSize(request.path) : request.bytes.length
      const refused = refusedBySize(size, limits)
      if (refused !== undefined) return refused
      const release = await semaphore.acquire(signal)
      try {
        const read = await readOnce(request, signal)
        // What an earlier file left behind in the process is not this file's fault.
        return read.isSuspect ? (await readOnce(request, signal)).outcome : read.outcome
      } finally {
        release()
      }
    },
    async close() {
      closing.abort(new Error('the document reader is closed'))
      for (const process of all) process.end()
      await Promise.all([...all].map(({ ended }) => ended))
    },
  }
}

async function fileSize(path: string): Promise<number> {
  const facts = await stat(path)
  if (!facts.isFile()) throw new Error(`${path} is no regular file, so it cannot be read as a document`)
  return facts.size
}

function refusedBySize(size: number, limits: ReadingLimits): Unreadable | undefined {
  const mediaType = 'application/octet-stream'
  if (size === 0) return { kind: 'unreadable', code: 'empty', reason: 'the file is empty', mediaType }
  if (size <= limits.bytes) return undefined
  const { code, message: reason } = tooManyBytes(size, limits.bytes)
  return { kind: 'unreadable', code, reason, mediaType }
}
