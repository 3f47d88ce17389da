import { orAborted } from '../platform.ts'

interface Run<Item> {
  /** The items so far: later callers get them, too. */
  readonly items: Item[]
  readers: number
  end?: 'over' | { readonly failed: unknown }
  /** Resolves at the next item, or at the end. */
  news: PromiseWithResolvers<void>
}

/**
 * Shares one run of work among everybody who asks while it runs: each gets every item from the first one on. There is never a
 * second run beside it. A run that nobody waits for any more is ended at its next item.
 */
export function sharedRun<Item>(work: () => AsyncIterable<Item>): (signal: AbortSignal) => AsyncGenerator<Item> {
  let current: Run<Item> | undefined
  let before: Promise<void> = Promise.resolve()

  async function go(run: Run<Item>): Promise<void> {
    const tell = (): void => {
      const { resolve } = run.news
      run.news = Promise.withResolvers()
      resolve()
    }
    const forget = (): void => {
      if (current === run) current = undefined
    }
    try {
      for await (const item of work()) {
        run.items.push(item)
        tell()
        if (run.readers > 0) continue
        // Before the work has ended: those who ask from now on wait for that, and begin another run.
        forget()
        return
      }
      run.end = 'over'
    } catch (error) {
      run.end = { failed: error }
    } finally {
      forget()
      tell()
    }
  }

  function begin(): Run<Item> {
    const run: Run<Item> = { items: [], readers: 0, news: Promise.withResolvers() }
    before = before.then(() => go(run))
    return run
  }

  return async function* read(signal) {
    const run = (current ??= begin())
    run.readers += 1
    try {
      for (let next = 0; ;) {
        while (next < run.items.length) yield run.items[next++]!
        if (run.end === 'over') return
        if (run.end) throw run.end.failed
        await orAborted(run.news.promise, signal).catch(() => undefined)
        if (signal.aborted) return
      }
    } finally {
      run.readers -= 1
    }
  }
}
