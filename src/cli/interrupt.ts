import { CommandFailure } from './failure.ts'
import type { Io } from '../capability.ts'

/** Listens for Ctrl-C and for a request to end, which comes with its name; answers how to stop listening. */
export function onInterrupt(io: Io, listener: (signal?: NodeJS.Signals) => void): () => void {
  if (io.onInterrupt !== undefined) return io.onInterrupt(listener)
  const signals = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const
  for (const signal of signals) process.on(signal, listener)
  return () => {
    for (const signal of signals) process.off(signal, listener)
  }
}

/**
 * Runs `work`; the first Ctrl-C calls `gently`, the second one leaves at once. `work` is given what a Ctrl-C does, for
 * where it does not come as a signal.
 */
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

/** The exit code of a signal that asks a process to end; `undefined` for Ctrl-C, which may mean a turn alone. */
export function signalExitCode(signal: NodeJS.Signals | undefined): number | undefined {
  if (signal === 'SIGTERM') return 143
  return signal === 'SIGHUP' ? 129 : undefined
}

/** Ends the process at once. */
export function exitNow(io: Io, code: number): void {
  if (io.exit === undefined) process.exit(code)
  io.exit(code)
}

/** Runs `work` with a signal that the first Ctrl-C aborts; the second one leaves at once. */
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
