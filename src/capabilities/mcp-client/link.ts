import { errorMessage } from '../../platform.ts'
/** Something that ends some time, with why. */
interface Linked {
  readonly ended: Promise<string>
  /** Never rejects. */
  close(): Promise<void>
}

/** One connection that is made again whenever it is lost. */
interface Link<Connection extends Linked> {
  /** The connection there is; where there is none, it is tried to make one at once. Rejects with why that failed. */
  connection(): Promise<Connection>
  /** Why there is no connection, as far as is known. */
  trouble(): string | undefined
  /** Ends the connection or the attempt at one, for good. Never rejects. */
  stop(): Promise<void>
}

/** Does something after a time, ms. The answer takes that back. */
export type Later = (delayMs: number, work: () => void) => () => void

export const realLater: Later = (delayMs, work) => {
  const timer = setTimeout(work, Math.min(delayMs, 2 ** 31 - 1))
  return () => clearTimeout(timer)
}

/** Between an end and the next attempt, ms; doubled with each failure. */
const FIRST_DELAY = 1_000
const LAST_DELAY = 60_000

/** A connection that lasted so long was a good one: after it the first delay holds again, ms. */
const GOOD = 60_000

/** `open` makes one connection; where its signal is aborted it leaves nothing behind and rejects. */
export function createLink<Connection extends Linked>(
  open: (signal: AbortSignal) => Promise<Connection>,
  later: Later,
): Link<Connection> {
  const end = new AbortController()
  let current: Promise<Connection> | undefined
  let delay = FIRST_DELAY
  let trouble: string | undefined
  let callOff: (() => void) | undefined

  function connection(): Promise<Connection> {
    if (end.signal.aborted) return Promise.reject(new Error('it was closed'))
    callOff?.()
    return (current ??= attempt())
  }

  async function attempt(): Promise<Connection> {
    try {
      const opened = await open(end.signal)
      trouble = undefined
      const callOffGood = later(GOOD, () => (delay = FIRST_DELAY))
      void opened.ended.then((why) => {
        callOffGood()
        again(why)
        return opened.close()
      })
      return opened
    } catch (error) {
      again(errorMessage(error))
      throw error
    }
  }

  /** There is no connection any more; whoever asks for one, or the timer, makes the next. */
  function again(why: string): void {
    current = undefined
    trouble = why
    if (end.signal.aborted) return
    callOff = later(delay, () => void connection().catch(() => {}))
    delay = Math.min(delay * 2, LAST_DELAY)
  }

  return {
    connection,
    trouble: () => trouble,
    async stop() {
      end.abort(new Error('it was closed'))
      callOff?.()
      const opened = await current?.catch(() => undefined)
      await opened?.close()
    },
  }
}
