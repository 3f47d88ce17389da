import { CommandFailure } from './failure.ts'
import type { Io, Output } from '../capability.ts'
import { note } from './io.ts'

/**
 * Calls `listener` for Ctrl-C, for signals that end the process, and with `SIGPIPE` once nothing reads the output any more.
 * Returns a function that stops listening.
 */
export function onInterrupt(io: Io, listener: (signal?: NodeJS.Signals) => void): () => void {
  const output = watchOutput(io)
  const closed = () => listener('SIGPIPE')
  output.listeners.add(closed)
  const stop = io.onInterrupt?.(listener) ?? onSignals(listener)
  return () => {
    output.listeners.delete(closed)
    stop()
  }
}

function onSignals(listener: (signal: NodeJS.Signals) => void): () => void {
  const signals = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const
  for (const signal of signals) process.on(signal, listener)
  return () => {
    for (const signal of signals) process.off(signal, listener)
  }
}

interface WatchedOutput {
  /** The exit code once nothing can be written to the output any more: 0 where its reader is gone, else 1. */
  exitCode: number | undefined
  readonly listeners: Set<() => void>
}

const watched = new WeakMap<Output, WatchedOutput>()

/**
 * Keeps an output that cannot be written from ending the command in the middle of its work: `head` has seen enough, or the
 * terminal was closed. A command that listens ends in order; another one exits at once.
 */
export function watchOutput(io: Io): WatchedOutput {
  const found = watched.get(io.stdout)
  if (found !== undefined) return found
  const output: WatchedOutput = { exitCode: undefined, listeners: new Set() }
  watched.set(io.stdout, output)
  io.stderr.on('error', () => {})
  io.stdout.on('error', (error: NodeJS.ErrnoException) => {
    if (output.exitCode !== undefined) return
    output.exitCode = READER_IS_GONE.has(error.code ?? '') ? 0 : 1
    if (output.exitCode === 1) note(io, `foreword: Cannot write the output: ${error.message}`)
    if (output.listeners.size === 0) exitNow(io, output.exitCode)
    for (const listener of output.listeners) listener()
  })
  return output
}

/** Codes of a failed write to a pipe that is closed, and to a terminal. */
const READER_IS_GONE: ReadonlySet<string> = new Set(['EPIPE', 'EIO'])

/** Runs `work` with the handler of Ctrl-C, for terminals in raw mode. The first Ctrl-C calls `gently`, the second exits. */
export async function runInterruptible<T>(
  io: Io,
  gently: () => void,
  work: (interrupt: () => void) => Promise<T>,
): Promise<T> {
  let interrupts = 0
  const interrupt = () => {
    interrupts += 1
    if (interrupts === 1) gently()
    else exitNow(io, 130)
  }
  const stop = onInterrupt(io, interrupt)
  try {
    return await work(interrupt)
  } finally {
    stop()
  }
}

/** The exit code of a signal that ends a process; `undefined` for Ctrl-C, which may only stop a turn. */
export function signalExitCode(signal: NodeJS.Signals | undefined): number | undefined {
  if (signal === 'SIGTERM') return 143
  if (signal === 'SIGPIPE') return 141
  return signal === 'SIGHUP' ? 129 : undefined
}

/** Exits with `code`, or with that of an output which cannot be written. */
export function exitNow(io: Io, code: number): void {
  const exit = io.exit ?? process.exit
  exit(watchOutput(io).exitCode ?? code)
}

/** Runs `work` with a signal that the first Ctrl-C aborts. The second one exits at once. */
export async function runStoppable<T>(io: Io, work: (signal: AbortSignal) => Promise<T>): Promise<T> {
  const stopping = new AbortController()
  const stopped = new CommandFailure('stopped', 'Stopped. Nothing was changed.', { exitCode: 130 })
  try {
    return await runInterruptible(
      io,
      () => stopping.abort(stopped),
      () => work(stopping.signal),
    )
  } catch (error) {
    throw stopping.signal.aborted ? stopped : error
  }
}
