import type { Io } from './io.ts'

/** Listens for Ctrl-C and for a request to end; answers how to stop listening. */
export function onInterrupt(io: Io, listener: () => void): () => void {
  if (io.onInterrupt !== undefined) return io.onInterrupt(listener)
  const signals = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const
  for (const signal of signals) process.on(signal, listener)
  return () => {
    for (const signal of signals) process.off(signal, listener)
  }
}

/** Runs `work`; the first Ctrl-C calls `gently`, the second one leaves at once. */
export async function interruptible<T>(io: Io, gently: () => void, work: () => Promise<T>): Promise<T> {
  let interrupts = 0
  const stop = onInterrupt(io, () => {
    interrupts += 1
    if (interrupts === 1) gently()
    else leave(io, 130)
  })
  try {
    return await work()
  } finally {
    stop()
  }
}

/** Ends the process at once. */
export function leave(io: Io, code: number): void {
  if (io.exit === undefined) process.exit(code)
  io.exit(code)
}
