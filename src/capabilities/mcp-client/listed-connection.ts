import type { SealedDefinition } from './acceptance-record.ts'
import type { Connection } from './connection.ts'
import { readOffered } from './read-offered.ts'

/** A connection together with the knowledge of what its server offers. */
export interface ListedConnection {
  readonly connection: Connection
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
  connection: Connection,
  limitMs: number,
  learn: (offered: readonly SealedDefinition[], faults: readonly string[]) => Promise<void>,
): ListedConnection {
  let listing: Promise<void> | undefined
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
    if (isStale) listing ??= list().finally(() => (listing = undefined))
    await listing
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
