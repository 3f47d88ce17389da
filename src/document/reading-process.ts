import { type ChildProcess, fork } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import type { Document, Unreadable } from './document.ts'
import { type ReadingLimits, sizeInWords } from './reading-limits.ts'
import { errorExit, type ReadingNews, type ReadingOrder } from './reading-messages.ts'
import type { ReadingProgress } from './reading-task.ts'

export type ReadingSource = { readonly bytes: Uint8Array } | { readonly path: string }

export interface ReadingOutcome {
  readonly outcome: Document | Unreadable
  /** The process died, and it had read other files before. */
  readonly isSuspect: boolean
}

/** A process that reads one file at a time. */
export interface ReadingProcess {
  /** Rejects with the reason of `signal`, which ends the process, and where a path cannot be opened. */
  read(request: ReadingSource & ReadingRequestFacts, signal: AbortSignal): Promise<ReadingOutcome>
  isUsable(): boolean
  end(): void
  /** Resolves when the process is gone. */
  readonly ended: Promise<void>
}

interface ReadingRequestFacts {
  readonly name: string
  readonly url?: string
  readonly charset?: string
  readonly onProgress?: (progress: ReadingProgress) => void
}

/** Bytes of one message: what is copied at once, while everything else in this process waits. */
const pieceSize = 2 ** 20

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
  // Could not be started, or could not be reached: whoever reads is told by `died`.
  child.on('error', () => void (child.pid === undefined && gone()))
  const end = () => {
    usable = false
    child.kill('SIGKILL')
  }
  return {
    async read({ onProgress, ...request }, signal) {
      signal.throwIfAborted()
      filesRead += 1
      hold(child)
      let mediaType = 'application/octet-stream'
      const told = Promise.withResolvers<Document | Unreadable>()
      const isOver = (code: Unreadable['code'], reason: string) =>
        told.resolve({ kind: 'unreadable', code, reason, mediaType })
      const onNews = (news: ReadingNews) => {
        if (news.type === 'kind') mediaType = news.mediaType
        else if (news.type === 'progress') onProgress?.(news.progress)
        else if (news.type === 'failed') told.reject(new Error(news.message))
        else {
          if (news.spent) usable = false
          told.resolve(news.outcome)
        }
      }
      let died = false
      const onExit = (code: number | null, ending: NodeJS.Signals | null) => {
        died = true
        const death = deathOf(code, ending, limits)
        isOver(death.code, death.reason)
      }
      const onAbort = () => {
        told.reject(signal.reason)
        end()
      }
      const timer = setTimeout(() => {
        isOver('timeout', `reading it took more than ${limits.timeMs / 1000} seconds`)
        end()
      }, limits.timeMs)
      child.on('message', onNews)
      child.once('exit', onExit)
      signal.addEventListener('abort', onAbort, { once: true })
      try {
        if (child.pid === undefined) throw new Error('a process to read documents could not be started')
        await Promise.race([told.promise, ordered(child, request, limits)])
        return { outcome: await told.promise, isSuspect: died && filesRead > 1 }
      } finally {
        clearTimeout(timer)
        child.off('message', onNews)
        child.off('exit', onExit)
        signal.removeEventListener('abort', onAbort)
        release(child)
      }
    },
    isUsable: () => usable && child.connected,
    end,
    ended,
  }
}

/** The source runs as it is, the published package as it was compiled. */
function programFile(): string {
  const file = fileURLToPath(new URL('./reading-program.ts', import.meta.url))
  return import.meta.url.endsWith('.ts') ? file : file.replace(/\.ts$/, '.js')
}

/** Hands a file over piece by piece. Where the process is gone meanwhile, its exit tells. */
async function ordered(
  child: ChildProcess,
  request: ReadingSource & ReadingRequestFacts,
  limits: ReadingLimits,
): Promise<void> {
  const { name, url, charset } = request
  const task = { name, limits, ...(url !== undefined && { url }), ...(charset !== undefined && { charset }) }
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

function deathOf(code: number | null, signal: NodeJS.Signals | null, limits: ReadingLimits) {
  if (code === errorExit || signal === 'SIGSEGV' || signal === 'SIGBUS') {
    return { code: 'broken', reason: 'the file is damaged in a way that ended its reading' } as const
  }
  return {
    code: 'too-large',
    reason: `reading it takes more than ${sizeInWords(limits.memoryBytes)} of memory`,
  } as const
}

function hold(child: ChildProcess): void {
  child.ref()
  child.channel?.ref()
}

/** An idle process does not keep the program that started it. */
function release(child: ChildProcess): void {
  child.unref()
  child.channel?.unref()
}
