import { type ChildProcess, fork } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import type { Document, Unreadable } from './document.ts'
import { exchange, type ExchangeRequest } from './reading-exchange.ts'
import type { ReadingLimits } from './reading-limits.ts'

export interface ReadingOutcome {
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
  // Could not be started, or could not be reached: whoever reads is told by `died`.
  child.on('error', () => void (child.pid === undefined && gone()))
  const end = () => {
    usable = false
    // Until it is gone, so that whoever waits for that is not left behind.
    hold(child)
    child.kill('SIGKILL')
  }
  return {
    async read(request, signal) {
      signal.throwIfAborted()
      if (child.pid === undefined) throw new Error('a process to read documents could not be started')
      filesRead += 1
      hold(child)
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

/** The source runs as it is, the published package as it was compiled. */
function programFile(): string {
  const file = fileURLToPath(new URL('./reading-program.ts', import.meta.url))
  return import.meta.url.endsWith('.ts') ? file : file.replace(/\.ts$/, '.js')
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
