import { type Clock, sha256 } from '../../platform.ts'
import type { GatewayRow, Gateways } from '../../session.ts'

/** This gateway among those on the same database. */
export type Peers = Pick<Gateways, 'id' | 'list'>

/** How often the list of gateways is read, ms. */
const LIST_MS = 250
/** At every how many readings each of the others is asked whether it is there, and homes move that may. */
const SLOW_READINGS = 4
/** How many readings in a row have to be without an answer until this gateway takes itself for cut off: as long as a lease. */
const MISSED_READINGS = 20
/** How long a gateway that could not be reached is taken for gone where it is not asked again, ms. */
const GONE_MS = 5_000

/**
 * Which gateway has the home of which person, where several share a database: each home has one gateway that all of them name without
 * asking each other, by a digest of both names. So homes are spread over the gateways, and only those of a gateway that comes or goes move.
 */
export function createPlacement(
  clock: Clock,
  peers: () => Peers | undefined,
  /** Whether the gateway at an address answers; in time. Never rejects. */
  answers: (address: string) => Promise<boolean>,
) {
  const gone = new Map<string, number>()
  const asked = new Set<string>()
  let live: readonly GatewayRow[] = []
  let lost: ReadonlySet<string> = new Set()
  let missed = 0

  /** One that the database has no sign of life of, or that this gateway does not reach. */
  const isLost = (address: string): boolean => lost.has(address)
  const isGone = (address: string): boolean => isLost(address) || (gone.get(address) ?? -Infinity) > clock.monotonic()
  const suspect = (address: string): void => void gone.set(address, clock.monotonic() + GONE_MS)

  async function read(): Promise<void> {
    const rows = ((await peers()?.list()) ?? []).filter(({ address }) => address !== undefined)
    live = rows.filter(({ state }) => state !== 'lost')
    const addresses = new Set(live.map(({ address }) => address))
    lost = new Set(rows.flatMap(({ address }) => (addresses.has(address) ? [] : [address!])))
    missed = 0
  }

  async function ask(address: string): Promise<void> {
    if (asked.has(address)) return
    asked.add(address)
    if (await answers(address)) gone.delete(address)
    else suspect(address)
    asked.delete(address)
  }

  /** The gateway that has this home, or will have it once it is quiet; `undefined` where this one is not among those on the database. */
  function gatewayFor(person: string): GatewayRow | undefined {
    const self = peers()?.id
    const able = live.filter(({ id, address }) => id === self || !isGone(address!))
    if (!able.some(({ id }) => id === self)) return undefined
    const weight = ({ id }: GatewayRow) => sha256(`${id} ${person}`)
    return able.reduce((one, other) => (weight(one) > weight(other) ? one : other))
  }

  return {
    isGone,
    isLost,
    suspect,
    /** Whether the database has not answered for the time of a lease. Time in which this process did not run does not count. */
    isCutOff: (): boolean => missed >= MISSED_READINGS,
    /** The address of the gateway that has this home if any other one has; `undefined`: this one. */
    otherFor(person: string): string | undefined {
      const best = gatewayFor(person)
      return best === undefined || best.id === peers()?.id ? undefined : best.address
    },
    gatewayFor,
    read,
    /** Calls `then` once a second, and when a gateway is lost, one after another. Returns what stops it. */
    watch(then: () => Promise<void>): () => void {
      let isReading = false
      let isWorking = false
      let readings = 0
      let isDue = false
      const look = async () => {
        isReading = true
        const before = lost
        try {
          await read()
        } finally {
          isReading = false
        }
        if (isWorking || (!isDue && lost.isSubsetOf(before))) return
        isWorking = true
        isDue = false
        try {
          await then()
        } finally {
          isWorking = false
        }
      }
      return clock.every(
        LIST_MS,
        () => {
          // A list that cannot be read is that of the last time: the database may be starting again.
          missed += 1
          readings += 1
          const isSlow = readings % SLOW_READINGS === 0
          isDue ||= isSlow
          if (!isReading) look().catch(() => {})
          if (!isSlow) return
          const self = peers()?.id
          for (const { id, address } of live) if (id !== self) void ask(address!)
        },
        { idle: true },
      )
    },
  }
}
