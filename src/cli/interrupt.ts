import { CommandFailure } from './failure.ts'
import type { Io } from '../capability.ts'

/** Calls `listener` for Ctrl-C and for signals that end the process. Returns a function that stops listening. */
export function onInterrupt(io: Io, listener: (signal?: NodeJS.Signals) => void): () => void {
  if (io.onInterrupt !== undefined) return io.onInterrupt(listener)
  const signals = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const
  for (const signal of signals) process.on(signal, listener)
  return () => {
    for (const signal of signals) process.off(signal, listener)
  }
}

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
  return signal === 'SIGHUP' ? 129 : undefined
}

export function exitNow(io: Io, code: number): void {
  if (io.exit === undefined) process.exit(code)
  io.exit(code)
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
