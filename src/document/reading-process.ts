import { type ChildProcess, fork } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { defined } from '../platform.ts'
import type { Document, Unreadable } from './document.ts'
import { type ReadingLimits, sizeInWords } from './reading-limits.ts'
import {
  errorExit,
  type ReadingNews,
  type ReadingOrder,
  type ReadingProgress,
  type ReadingTask,
} from './reading-task.ts'

interface ReadingOutcome {
  readonly outcome: Document | Unreadable
  /** The process died, and it had read other files before. */
  readonly isSuspect: boolean
}

/** A process that reads one file at a time. */
export interface ReadingProcess {
  /** Rejects with the reason of `signal`, which ends the process, and where a path cannot be opened. */
  read(request: ExchangeRequest, signal: AbortSignal): Promise<ReadingOutcome>
  isUsable(): boolean
  end(): void
  /** Resolves when the process is gone. */
  readonly ended: Promise<void>
}

/** Starts a process that may read files and nothing else: it cannot write, start programs, or see the environment. */
export function startReadingProcess(limits: ReadingLimits): ReadingProcess {
  const child = fork(programFile(), [], {
    env: {},
    serialization: 'advanced',
    stdio: ['ignore', 'ignore', 'ignore', 'ipc'],
    // Its own watch ends it at the limit. The heap may grow beyond that, since reaching its end is an abort with a core file.
    execArgv: [
      `--max-old-space-size=${Math.ceil((limits.memoryBytes * 2) / 2 ** 20)}`,
      '--permission',
      '--allow-fs-read=*',
      '--allow-worker',
    ],
  })
  const { promise: ended, resolve: isEnded } = Promise.withResolvers<void>()
  let usable = true
  let filesRead = 0
  const gone = () => {
    usable = false
    isEnded()
  }
  child.once('exit', gone)
  // It could not be started or reached: `died` reports that to the reader.
  child.on('error', () => void (child.pid === undefined && gone()))
  const end = () => {
    usable = false
    // Until it is gone, so that a caller that waits for its end gets an answer.
    keepProcess(child)
    child.kill('SIGKILL')
  }
  return {
    async read(request, signal) {
      signal.throwIfAborted()
      if (child.pid === undefined) throw new Error('a process to read documents could not be started')
      filesRead += 1
      keepProcess(child)
      try {
        const { outcome, died, spent } = await exchange(child, request, limits, signal)
        if (spent) usable = false
        return { outcome, isSuspect: died && filesRead > 1 }
      } finally {
        release(child)
      }
    },
    isUsable: () => usable && child.connected && !child.killed,
    end,
    ended,
  }
}

/** The source runs as TypeScript, the published package as JavaScript. */
function programFile(): string {
  const file = fileURLToPath(new URL('./reading-program.ts', import.meta.url))
  return import.meta.url.endsWith('.ts') ? file : file.replace(/\.ts$/, '.js')
}

function keepProcess(child: ChildProcess): void {
  child.ref()
  child.channel?.ref()
}

/** An idle process does not keep the program that started it. */
function release(child: ChildProcess): void {
  child.unref()
  child.channel?.unref()
}

export type ReadingSource = { readonly bytes: Uint8Array } | { readonly path: string }

type ExchangeRequest = ReadingSource & Pick<ReadingTask, 'name' | 'url' | 'charset' | 'counter' | 'onProgress'>

interface Exchange {
  readonly outcome: Document | Unreadable
  readonly died: boolean
  /** It uses so much memory that another process should read the next file. */
  readonly spent: boolean
}

/** Bytes of one message: what is copied at once, while everything else in this process waits. */
const pieceSize = 2 ** 20

/**
 * Hands one file to a reading process and waits for what it tells, or for its end. Ends it when the time is over or
 * `signal` is aborted; the latter rejects with the reason, and so do a path that cannot be opened and a listener that throws.
 */
async function exchange(
  child: ChildProcess,
  request: ExchangeRequest,
  limits: ReadingLimits,
  signal: AbortSignal,
): Promise<Exchange> {
  const ended = Promise.withResolvers<Exchange>()
  let mediaType = 'application/octet-stream'
  const failed = (code: Unreadable['code'], reason: string, died: boolean) =>
    ended.resolve({ outcome: { kind: 'unreadable', code, reason, mediaType }, died, spent: false })
  const onNews = (news: ReadingNews) => {
    if (news.type === 'kind') mediaType = news.mediaType
    else if (news.type === 'progress') tellOn(news.progress)
    else if (news.type === 'failed') ended.reject(new Error(news.message))
    else ended.resolve({ outcome: news.outcome, died: false, spent: news.spent })
  }
  const tellOn = (progress: ReadingProgress) => {
    try {
      request.onProgress?.(progress)
    } catch (error) {
      giveUp(error)
    }
  }
  const onExit = (code: number | null, ending: NodeJS.Signals | null) =>
    failed(...describeExit(code, ending, limits), true)
  const giveUp = (reason: unknown) => {
    ended.reject(reason)
    child.kill('SIGKILL')
  }
  const onAbort = () => giveUp(signal.reason)
  const timer = setTimeout(() => {
    failed('timeout', `reading it took more than ${limits.timeMs / 1000} seconds`, false)
    child.kill('SIGKILL')
  }, limits.timeMs)
  child.on('message', onNews)
  child.once('exit', onExit)
  signal.addEventListener('abort', onAbort, { once: true })
  try {
    await Promise.race([ended.promise, handOver(child, request, limits)])
    return await ended.promise
  } finally {
    clearTimeout(timer)
    child.off('message', onNews)
    child.off('exit', onExit)
    signal.removeEventListener('abort', onAbort)
  }
}

/** Hands a file over piece by piece. Where the process is gone meanwhile, its exit tells. */
async function handOver(child: ChildProcess, request: ExchangeRequest, limits: ReadingLimits): Promise<void> {
  const { name, url, charset, counter } = request
  const task = defined({ name, limits, url, charset, counter })
  if ('path' in request) return send(child, { type: 'read', path: request.path, task })
  for (let at = 0; at < request.bytes.length; at += pieceSize) {
    // oxlint-disable-next-line no-await-in-loop -- one piece at a time, so that nothing piles up
    await send(child, { type: 'bytes', bytes: request.bytes.subarray(at, at + pieceSize) })
  }
  await send(child, { type: 'read', task })
}

function send(child: ChildProcess, order: ReadingOrder): Promise<void> {
  return new Promise((resolve) => {
    if (child.connected) child.send(order, () => resolve())
    else resolve()
  })
}

function describeExit(
  code: number | null,
  signal: NodeJS.Signals | null,
  limits: ReadingLimits,
): readonly [Unreadable['code'], string] {
  if (code === errorExit || signal === 'SIGSEGV' || signal === 'SIGBUS') {
    return ['broken', 'the file is damaged: the process that read it ended']
  }
  return ['too-large', `reading it needs more than ${sizeInWords(limits.memoryBytes)} of memory`]
}
