/** The longest time that a timer takes, ms. */
const LONGEST_MS = 2 ** 31 - 1

/** Resolves after so many milliseconds, or as soon as one of the signals is aborted. Never rejects. */
export function sleep(milliseconds: number, ...signals: readonly (AbortSignal | undefined)[]): Promise<void> {
  return new Promise((resolve) => {
    const end = () => {
      clearTimeout(timer)
      for (const signal of signals) signal?.removeEventListener('abort', end)
      resolve()
    }
    const timer = setTimeout(end, Math.min(milliseconds, LONGEST_MS))
    for (const signal of signals) {
      if (signal?.aborted) end()
      else signal?.addEventListener('abort', end, { once: true })
    }
  })
}
