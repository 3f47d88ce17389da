import { stat } from 'node:fs/promises'
import { type Clock, defined, type FairTurn, fairTurns } from '../platform.ts'
import type { Unreadable } from './document.ts'
import { readingTimeMs, type ReadingLimits, tooManyBytes, usualLimits } from './reading-limits.ts'
import {
  type ReadingProcess,
  type ReadingProgram,
  readingProgram,
  type ReadingSource,
  startReadingProcess,
} from './reading-process.ts'
import type { ReadingProgress } from './reading-task.ts'

export interface DocumentReaderOptions {
  readonly clock: Clock
  readonly limits?: Partial<ReadingLimits>
  /** Id of the counter of tokens, such as `tokenx`: texts are counted in the process that reads them, so that no caller waits for it. */
  readonly counter?: string
  /** Files that are read at the same time, each in a process of its own. 3 unless given; of one owner one less, where that is one. */
  readonly atOnce?: number
  /** A turn among the readers of others, without which nothing is read. Rejects with the reason of the signal. Absent: there are no others. */
  readonly turnAmongOthers?: (signal: AbortSignal) => Promise<FairTurn>
  /** Milliseconds after which a process that has nothing to do ends. 10,000 unless given. */
  readonly idleMs?: number
  /**
   * Gives what to start instead of the program that reads, so that it has no more than it needs, such as `confineNode` of
   * `foreword/tool`. Without it, and where it gives nothing, Node's permissions alone keep that program from files, programs
   * and the environment, and from Node 25 on from the network.
   */
  readonly confine?: (program: ReadingProgram) => Promise<readonly string[] | undefined>
}

/** One file: its bytes, or the path of a regular file. */
type ReadingRequest = ReadingSource & {
  /** Decides among the kinds of plain text only: the bytes decide what a file is. */
  readonly name: string
  /** Where a page comes from: its links become absolute. */
  readonly url?: string
  /** The character set that the sender of the bytes declared, as in `Content-Type`. */
  readonly charset?: string
  /**
   * Whose file it is, such as a project or a session. Where several wait, the owner that has used the least time is next,
   * and one whose file took too long has one reading at a time for some minutes. All without an owner count as one.
   */
  readonly owner?: string
  readonly signal?: AbortSignal
  /** Called after each page of a PDF. */
  readonly onProgress?: (progress: ReadingProgress) => void
}

/** Extracts the text of files. */
export type DocumentReader = ReturnType<typeof createDocumentReader>

/**
 * Reads in processes of their own, which start with the first file, serve one after another, and end when there is nothing
 * to do. Nothing starts before that, and an idle one keeps no program from ending.
 */
export function createDocumentReader(options: DocumentReaderOptions) {
  const limits: ReadingLimits = { ...usualLimits, ...options.limits }
  const { clock, counter } = options
  const { atOnce = 3 } = options
  const turns = fairTurns(atOnce, clock, Math.max(1, atOnce - 1))
  const closing = new AbortController()
  const idle = new Map<ReadingProcess, () => void>()
  const all = new Set<ReadingProcess>()

  const start = async (signal: AbortSignal): Promise<ReadingProcess> => {
    const program = readingProgram(limits)
    const argv = (await options.confine?.(program)) ?? program.argv
    signal.throwIfAborted()
    const started = startReadingProcess(clock, argv, limits)
    all.add(started)
    void started.ended.then(() => all.delete(started) && idle.delete(started))
    return started
  }

  const taken = (): ReadingProcess | undefined => {
    const [first] = idle
    if (first === undefined) return undefined
    const [process, stayOpen] = first
    stayOpen()
    idle.delete(process)
    return process
  }

  const putBack = (process: ReadingProcess) => {
    if (process.isUsable()) idle.set(process, clock.timer(options.idleMs ?? 10_000, process.end, { idle: true }))
    else process.end()
  }

  const readOnce = async (request: ReadingRequest, timeMs: number, signal: AbortSignal) => {
    const process = taken() ?? (await start(signal))
    try {
      return await process.read({ ...request, timeMs, ...defined({ counter }) }, signal)
    } finally {
      putBack(process)
    }
  }

  return {
    /**
     * The text of the file, or why it cannot be read. Nothing in a file makes it reject, block, or use more time and memory
     * than the limits give it. Rejects with the reason of `signal`, when the reader is closed, and where the path leads to no
     * file. The bytes stay the caller's; they must not change meanwhile.
     */
    async read(request: ReadingRequest) {
      const signal = request.signal ? AbortSignal.any([closing.signal, request.signal]) : closing.signal
      signal.throwIfAborted()
      const size = 'path' in request ? await fileSize(request.path) : request.bytes.length
      const refused = refusedBySize(size, limits)
      if (refused !== undefined) return refused
      const timeMs = readingTimeMs(size, limits)
      const turn = await turns.take(request.owner ?? '', signal)
      let overran = false
      let among: FairTurn | undefined
      try {
        among = await options.turnAmongOthers?.(signal)
        const read = await readOnce(request, timeMs, signal)
        // What an earlier file left behind in the process is not this file's fault.
        const { outcome } = read.isSuspect ? await readOnce(request, timeMs, signal) : read
        overran = outcome.kind === 'unreadable' && outcome.code === 'timeout'
        return outcome
      } finally {
        among?.end(overran)
        turn.end(overran)
      }
    },
    /** Ends every reading. Resolves when no process is left. */
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
