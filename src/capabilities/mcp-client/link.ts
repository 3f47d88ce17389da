import { type Clock, errorMessage, singleFlight } from '../../platform.ts'
import type { McpConnection } from './connection.ts'
import { readOffered, type SealedDefinition } from './definition.ts'

/** Time between the end of a connection and the next attempt, ms; doubled with each failure. */
const FIRST_DELAY = 1_000
const LAST_DELAY = 60_000

/** A connection that lasted this long was stable: after it the first delay applies again, ms. */
const GOOD = 60_000

/** One connection, opened again whenever it is lost. When aborted, `open` rejects and leaves nothing behind. */
export function createLink(open: (signal: AbortSignal) => Promise<ListedConnection>, clock: Clock) {
  const end = new AbortController()
  let current: Promise<ListedConnection> | undefined
  let delay = FIRST_DELAY
  let trouble: string | undefined
  let callOff: (() => void) | undefined
  let isOpen = false
  /** What becomes of an attempt counts only while it is the last one. */
  let attempts = 0

  /** The current connection; without one, opens one at once. Rejects with the reason if that fails. */
  function connection(): Promise<ListedConnection> {
    if (end.signal.aborted) return Promise.reject(new Error('it was closed'))
    callOff?.()
    return (current ??= attempt())
  }

  async function attempt(): Promise<ListedConnection> {
    const own = ++attempts
    try {
      const opened = await open(end.signal)
      trouble = undefined
      isOpen = own === attempts
      const callOffGood = clock.timer(GOOD, () => (delay = FIRST_DELAY))
      void opened.ended.then((why) => {
        callOffGood()
        if (own === attempts) scheduleNext(why)
        return opened.close()
      })
      return opened
    } catch (error) {
      if (own === attempts) scheduleNext(errorMessage(error))
      throw error
    }
  }

  /** The connection is gone; the next request for one, or the timer, opens another. */
  function scheduleNext(why: string): void {
    current = undefined
    isOpen = false
    trouble = why
    if (end.signal.aborted) return
    callOff = clock.timer(delay, () => void connection().catch(() => {}))
    delay = Math.min(delay * 2, LAST_DELAY)
  }

  return {
    connection,
    /** Why there is no connection, if that is known. */
    trouble: () => trouble,
    state: (): 'idle' | 'connecting' | 'open' => (isOpen ? 'open' : current ? 'connecting' : 'idle'),
    /** Ends the connection or the attempt at one, and opens another at once. Rejects with the reason if that fails. */
    async restart(): Promise<ListedConnection> {
      attempts++
      const before = current
      current = undefined
      isOpen = false
      delay = FIRST_DELAY
      const opened = await before?.catch(() => undefined)
      await opened?.close()
      return connection()
    },
    async stop() {
      end.abort(new Error('it was closed'))
      callOff?.()
      const opened = await current?.catch(() => undefined)
      await opened?.close()
    },
  }
}

export type ListedConnection = ReturnType<typeof listedConnection>

/** How often in a row a server may announce changes while its tools are listed. */
const MOST_ROUNDS = 10

/** Between two listings that a server asks for by announcing changes, ms. */
const BETWEEN_LISTINGS = 1_000

/** `learn` receives everything that `server` offers, and sentences about what is left out. */
export function listedConnection(
  clock: Clock,
  server: string,
  connection: McpConnection,
  limitMs: number,
  learn: (offered: readonly SealedDefinition[], faults: readonly string[]) => Promise<void>,
) {
  const listing = singleFlight<'tools', void>()
  let isStale = true
  /** Whether a change was announced, and from when on its tools may be listed again. */
  let isAnnounced = false
  let next = -Infinity

  async function list(): Promise<void> {
    for (let round = 0; isStale; round++) {
      if (round === MOST_ROUNDS) throw new Error('it says again and again that its tools have changed')
      if (isAnnounced) {
        const rest = next - clock.monotonic()
        if (rest > 0) await clock.sleep(rest)
        next = clock.monotonic() + BETWEEN_LISTINGS
      }
      isStale = false
      const answer = await connection.list(clock.timeoutSignal(limitMs))
      const { offered, faults } = await readOffered(clock, answer, server)
      await learn(offered, faults)
    }
  }

  /** Joins a listing that is running; otherwise starts one if something may have changed. */
  async function listed(): Promise<void> {
    await (isStale ? listing.run('tools', list) : listing.get('tools'))
  }

  return {
    connection,
    ended: connection.ended,
    close: connection.close,
    /** Resolves once the tools of the server are known, with every change it has announced. */
    listed,
    /** Lists the tools again. Closes the connection to a server that does not answer. */
    listAgain() {
      isStale = true
      isAnnounced = true
      listed().catch(() => connection.close())
    },
  }
}
