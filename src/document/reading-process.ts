import { type ChildProcess, spawn } from 'node:child_process'
import { existsSync, realpathSync } from 'node:fs'
import { open } from 'node:fs/promises'
import { constants } from 'node:os'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { type Clock, defined, leaveProcessorToOthers, runnableFile, withoutInherited } from '../platform.ts'
import type { Document, Unreadable } from './document.ts'
import { type ReadingLimits, sizeInWords, tooManyCharacters } from './reading-limits.ts'
import {
  errorExit,
  overtimeSignal,
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
export type ReadingProcess = ReturnType<typeof startReadingProcess>

export interface ReadingProgram {
  /** Node, its arguments and the file. */
  readonly argv: readonly string[]
  /** Files and folders that it has to read, absolute: its code and the libraries of that. */
  readonly readable: readonly string[]
  /** More memory than it can fill before its own watch ends it, bytes. */
  readonly memoryBytes: number
}

/**
 * A program that may read its own code and nothing else: it is handed the bytes of each file, and cannot write, start
 * programs, or see the environment. From Node 25 on it has no network either.
 */
export function readingProgram(limits: ReadingLimits): ReadingProgram {
  const readable = codePlaces(import.meta.url)
  return {
    argv: [
      process.execPath,
      // Its own watch ends it at the limit. The heap may grow beyond that, since reaching its end is an abort with a core file.
      `--max-old-space-size=${Math.ceil((limits.memoryBytes * 2) / 2 ** 20)}`,
      ...readingPermissions(readable),
      fileURLToPath(runnableFile(new URL('./reading-program.ts', import.meta.url))),
    ],
    readable,
    memoryBytes: limits.memoryBytes * 2 + NODE_BYTES,
  }
}

/** What Node and its threads reserve before they read anything, and more. */
const NODE_BYTES = 2 * 2 ** 30

/** Starts the program, or what confines it. `argv` must hand descriptors, messages and the end on to it. */
export function startReadingProcess(clock: Clock, argv: readonly string[], limits: ReadingLimits) {
  const child = spawn(argv[0]!, argv.slice(1), {
    env: {},
    serialization: 'advanced',
    stdio: withoutInherited(['ignore', 'ignore', 'ignore', 'ipc']),
  })
  if (child.pid !== undefined) leaveProcessorToOthers(child.pid)
  const { promise: ended, resolve: isEnded } = Promise.withResolvers<void>()
  let usable = true
  let filesRead = 0
  const gone = () => {
    usable = false
    // What confined it may be gone before it: without a channel it ends.
    if (child.connected) child.disconnect()
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
    /** Rejects with the reason of `signal`, which ends the process, and where a path cannot be opened. */
    async read(request: ExchangeRequest, signal: AbortSignal): Promise<ReadingOutcome> {
      signal.throwIfAborted()
      if (child.pid === undefined) throw new Error('a process to read documents could not be started')
      filesRead += 1
      keepProcess(child)
      try {
        const { outcome, died, spent } = await exchange(clock, child, request, limits, signal)
        if (spent) usable = false
        return { outcome, isSuspect: died && filesRead > 1 }
      } finally {
        // An idle process does not keep the program that started it.
        child.unref()
        child.channel?.unref()
      }
    },
    isUsable: (): boolean => usable && child.connected && !child.killed,
    end,
    /** Resolves when the process is gone. */
    ended,
  }
}

/** Where a program finds its code and libraries, given the address of a file in a room of the code. */
export function codePlaces(file: string): readonly string[] {
  const code = dirname(dirname(fileURLToPath(file)))
  const places = new Set([code])
  for (let folder = dirname(code); ; folder = dirname(folder)) {
    const packages = join(folder, 'node_modules')
    if (existsSync(packages)) places.add(packages).add(realpathSync(packages))
    if (folder === dirname(folder)) break
  }
  const manifest = join(dirname(code), 'package.json')
  return existsSync(manifest) ? [...places, manifest] : [...places]
}

/**
 * Node's arguments for a program that may read these places and nothing else. Threads are allowed, because one ends it when
 * it takes too much memory; they have no more rights.
 */
export function readingPermissions(places: readonly string[]): readonly string[] {
  const readable = places.map((path) => (path.endsWith('.json') ? path : join(path, '*')))
  return ['--permission', ...readable.map((path) => `--allow-fs-read=${path}`), '--allow-worker']
}

function keepProcess(child: ChildProcess): void {
  child.ref()
  child.channel?.ref()
}

export type ReadingSource = { readonly bytes: Uint8Array } | { readonly path: string }

type ExchangeRequest = ReadingSource &
  Pick<ReadingTask, 'name' | 'url' | 'charset' | 'counter' | 'onProgress'> & {
    /** Of the processor. On a busy machine it takes longer, at most `BUSY` times as long by the clock. */
    readonly timeMs: number
  }

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
  clock: Clock,
  child: ChildProcess,
  request: ExchangeRequest,
  limits: ReadingLimits,
  signal: AbortSignal,
): Promise<Exchange> {
  const ended = Promise.withResolvers<Exchange>()
  let mediaType = 'application/octet-stream'
  const texts: string[] = []
  let characters = 0
  const failed = (code: Unreadable['code'], reason: string, died: boolean) =>
    ended.resolve({ outcome: { kind: 'unreadable', code, reason, mediaType }, died, spent: false })
  const onNews = (news: ReadingNews) => {
    if (news.type === 'kind') mediaType = news.mediaType
    else if (news.type === 'progress') tellOn(news.progress)
    else if (news.type === 'text') take(news.text)
    else if (news.type === 'failed') ended.reject(new Error(news.message))
    else {
      const { outcome, spent } = news
      ended.resolve({
        outcome: 'text' in outcome ? { ...outcome, text: [...texts, outcome.text].join('') } : outcome,
        died: false,
        spent,
      })
    }
  }
  /** A process that was taken over by a file cannot fill this one. */
  const take = (text: string) => {
    characters += text.length
    if (characters <= limits.characters) return void texts.push(text)
    const { code, message } = tooManyCharacters(characters, limits.characters)
    failed(code, message, false)
    child.kill('SIGKILL')
  }
  const tellOn = (progress: ReadingProgress) => {
    try {
      request.onProgress?.(progress)
    } catch (error) {
      giveUp(error)
    }
  }
  const onExit = (code: number | null, ending: NodeJS.Signals | null) => {
    if (code !== null && code < SIGNALLED && code !== errorExit) {
      ended.reject(new Error(`the process that reads documents did not start (exit ${code})`))
    } else if (isSignal(code, ending, overtimeSignal)) isOver()
    else failed(...describeExit(code, ending, limits), true)
  }
  const giveUp = (reason: unknown) => {
    ended.reject(reason)
    child.kill('SIGKILL')
  }
  const onAbort = () => giveUp(signal.reason)
  const isOver = () =>
    failed('timeout', `reading it took more than ${Math.round(request.timeMs / 100) / 10} seconds`, false)
  const cancel = clock.timer(request.timeMs * BUSY, () => {
    isOver()
    child.kill('SIGKILL')
  })
  child.on('message', onNews)
  child.once('exit', onExit)
  signal.addEventListener('abort', onAbort, { once: true })
  try {
    await Promise.race([ended.promise, handOver(child, request, limits)])
    return await ended.promise
  } finally {
    cancel()
    child.off('message', onNews)
    child.off('exit', onExit)
    signal.removeEventListener('abort', onAbort)
  }
}

/** Hands a file over piece by piece. Where the process is gone meanwhile, its exit tells. */
async function handOver(child: ChildProcess, request: ExchangeRequest, limits: ReadingLimits): Promise<void> {
  const { name, url, charset, counter, timeMs } = request
  const task = defined({ name, limits, url, charset, counter, timeMs })
  // One piece at a time, so that nothing piles up.
  for await (const bytes of piecesOf(request)) await send(child, { type: 'bytes', bytes })
  await send(child, { type: 'read', task })
}

async function* piecesOf(source: ReadingSource): AsyncGenerator<Uint8Array> {
  if ('bytes' in source) {
    for (let at = 0; at < source.bytes.length; at += pieceSize) yield source.bytes.subarray(at, at + pieceSize)
    return
  }
  const file = await open(source.path)
  try {
    for (;;) {
      const { bytesRead, buffer } = await file.read(Buffer.allocUnsafeSlow(pieceSize))
      if (bytesRead === 0) return
      yield buffer.subarray(0, bytesRead)
    }
  } finally {
    await file.close()
  }
}

function send(child: ChildProcess, order: ReadingOrder): Promise<void> {
  return new Promise((resolve) => {
    if (child.connected) child.send(order, () => resolve())
    else resolve()
  })
}

/**
 * A reading process yields to everything else: beside five busy programs on one processor it gets a fiftieth of it. Its own
 * watch ends it when its time of the processor is over, so this limit only meets one that waits for what never comes.
 */
const BUSY = 60

/** Exit codes from here on stand for signals that a program within a sandbox got. */
const SIGNALLED = 128

function isSignal(code: number | null, signal: NodeJS.Signals | null, name: NodeJS.Signals): boolean {
  return signal === name || code === SIGNALLED + constants.signals[name]
}

function describeExit(
  code: number | null,
  signal: NodeJS.Signals | null,
  limits: ReadingLimits,
): readonly [Unreadable['code'], string] {
  if (code === errorExit || (['SIGSEGV', 'SIGBUS'] as const).some((name) => isSignal(code, signal, name))) {
    return ['broken', 'the file is damaged: the process that read it ended']
  }
  return ['too-large', `reading it needs more than ${sizeInWords(limits.memoryBytes)} of memory`]
}
