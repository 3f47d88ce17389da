/** Resolves after so many ms, or as soon as one of the signals says so. */
export function pause(milliseconds: number, ...signals: readonly AbortSignal[]): Promise<void> {
  return new Promise((resolve) => {
    const end = () => {
      clearTimeout(timer)
      for (const signal of signals) signal.removeEventListener('abort', end)
      resolve()
    }
    const timer = setTimeout(end, milliseconds)
    for (const signal of signals) {
      if (signal.aborted) end()
      else signal.addEventListener('abort', end, { once: true })
    }
  })
}
