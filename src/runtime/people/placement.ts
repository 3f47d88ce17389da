import { type Clock, sha256 } from '../../platform.ts'
import type { GatewayRow, Gateways } from '../../session.ts'

/** This gateway among those on the same database. */
export type Peers = Pick<Gateways, 'id' | 'list'>

/** How often the list of gateways is read, ms. */
const LIST_MS = 1_000
/** How long a gateway that could not be reached is taken for gone, ms. */
const GONE_MS = 5_000

/**
 * Which gateway has the home of which person, where several share a database: each home has one gateway that all of them name without
 * asking each other, by a digest of both names. So homes are spread over the gateways, and only those of a gateway that comes or goes move.
 */
export function createPlacement(clock: Clock, peers: () => Peers | undefined) {
  const gone = new Map<string, number>()
  let live: readonly GatewayRow[] = []

  const isGone = (address: string): boolean => (gone.get(address) ?? -Infinity) > clock.monotonic()

  async function read(): Promise<void> {
    const rows = await peers()?.list()
    live = (rows ?? []).filter(({ state, address }) => state !== 'lost' && address !== undefined)
  }

  return {
    isGone,
    /** From here on, for some seconds, it is no gateway to hand anything to. */
    suspect: (address: string): void => void gone.set(address, clock.monotonic() + GONE_MS),
    /** The address of the gateway that has this home if any other one has; `undefined`: this one. */
    otherFor(person: string): string | undefined {
      const self = peers()?.id
      const able = live.filter(({ id, address }) => id === self || !isGone(address!))
      if (!able.some(({ id }) => id === self)) return undefined
      const weight = ({ id }: GatewayRow) => sha256(`${id} ${person}`)
      const best = able.reduce((one, other) => (weight(one) > weight(other) ? one : other))
      return best.id === self ? undefined : best.address
    },
    read,
    /** Calls `then` after each look at the list, one after another. Returns what stops it. */
    watch(then: () => Promise<void>): () => void {
      let isLooking = false
      const look = async () => {
        isLooking = true
        try {
          await read()
          await then()
        } finally {
          isLooking = false
        }
      }
      // A list that cannot be read is that of the last time: the database may be starting again.
      return clock.every(LIST_MS, () => void (isLooking || look().catch(() => {})), { idle: true })
    },
  }
}
