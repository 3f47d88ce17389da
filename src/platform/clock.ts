/** Time and chance, as arguments. Below the command line nothing reads the time or sets a timer in another way. */
export interface Clock extends TimeSource {
  /** The same as ISO 8601, UTC. */
  time(): string
  /** Calls `work` again and again until the returned function is called. */
  every(milliseconds: number, work: () => void, options?: TimerOptions): () => void
  /** Resolves after so many ms, or as soon as the signal is aborted. Never rejects. */
  sleep(milliseconds: number, signal?: AbortSignal, options?: TimerOptions): Promise<void>
  /** Aborted with a `TimeoutError` after so many ms. No process has to stay for it. */
  timeoutSignal(milliseconds: number): AbortSignal
  /** Resolves once other work that is ready has run. */
  yield(): Promise<void>
}

/** What a clock is made of. */
export interface TimeSource {
  /** ms since 1970, whole. */
  now(): number
  /** ms that only grow. */
  monotonic(): number
  /** A name that no other thing has, such as `call_3fk9…`. */
  newId(kind: string): string
  /** Calls `work` once, after so many ms, unless the returned function is called before. */
  timer(milliseconds: number, work: () => void, options?: TimerOptions): () => void
  /** Calls `work` once other work that is ready has run. */
  soon(work: () => void): void
}

export interface TimerOptions {
  /** No process has to stay for it. */
  readonly idle?: boolean
}

export function clockOf(source: TimeSource): Clock {
  const { timer } = source
  return {
    ...source,
    time: () => new Date(source.now()).toISOString(),
    every(milliseconds, work, options) {
      let cancel = timer(milliseconds, next, options)
      function next(): void {
        cancel = timer(milliseconds, next, options)
        work()
      }
      return () => cancel()
    },
    sleep: (milliseconds, signal, options) =>
      new Promise((resolve) => {
        const end = () => {
          cancel()
          signal?.removeEventListener('abort', end)
          resolve()
        }
        const cancel = timer(milliseconds, end, options)
        if (signal?.aborted) end()
        else signal?.addEventListener('abort', end, { once: true })
      }),
    timeoutSignal(milliseconds) {
      const over = new AbortController()
      const end = () => over.abort(new DOMException('The operation was aborted due to timeout', 'TimeoutError'))
      timer(milliseconds, end, { idle: true })
      return over.signal
    },
    yield: () => new Promise((resolve) => source.soon(resolve)),
  }
}
