import { errorMessage, singleFlight } from '../../platform.ts'
import type { McpConnection } from './connection.ts'
import { readOffered, type SealedDefinition } from './definition.ts'

/** One connection that is made again whenever it is lost. */
interface Link {
  /** The connection there is; where there is none, it is tried to make one at once. Rejects with why that failed. */
  connection(): Promise<ListedConnection>
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
export function createLink(open: (signal: AbortSignal) => Promise<ListedConnection>, later: Later): Link {
  const end = new AbortController()
  let current: Promise<ListedConnection> | undefined
  let delay = FIRST_DELAY
  let trouble: string | undefined
  let callOff: (() => void) | undefined

  function connection(): Promise<ListedConnection> {
    if (end.signal.aborted) return Promise.reject(new Error('it was closed'))
    callOff?.()
    return (current ??= attempt())
  }

  async function attempt(): Promise<ListedConnection> {
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

/** A connection together with the knowledge of what its server offers. */
export interface ListedConnection {
  readonly connection: McpConnection
  readonly ended: Promise<string>
  close(): Promise<void>
  /** Resolves once everything that the server offers has been learned, as far as it said that something changed. */
  listed(): Promise<void>
  /** Asks again. A server that does not answer that is let go. */
  listAgain(): void
}

/** A server that says so often in a row that its tools changed does not come to rest. */
const MOST_ROUNDS = 10

/** `learn` is given all that the server offers, and sentences about what it offers in vain. */
export function listedConnection(
  connection: McpConnection,
  limitMs: number,
  learn: (offered: readonly SealedDefinition[], faults: readonly string[]) => Promise<void>,
): ListedConnection {
  const listing = singleFlight<'tools', void>()
  let isStale = true

  async function list(): Promise<void> {
    for (let round = 0; isStale; round++) {
      if (round === MOST_ROUNDS) throw new Error('it says again and again that its tools have changed')
      isStale = false
      const said = await connection.list(AbortSignal.timeout(limitMs))
      const { offered, faults } = await readOffered(said)
      await learn(offered, faults)
    }
  }

  /** Joins the reading that goes on, if one does; otherwise begins one where something may have changed. */
  async function listed(): Promise<void> {
    await (isStale ? listing.run('tools', list) : listing.get('tools'))
  }

  return {
    connection,
    ended: connection.ended,
    close: connection.close,
    listed,
    listAgain() {
      isStale = true
      listed().catch(() => connection.close())
    },
  }
}
