import type { GatewayConnection, Io } from '../capability.ts'
import { systemClock } from '../platform.ts'
import { connectionTo, findGateway, HOME_TIMEOUT, homeBusy } from './connection.ts'

/** A gateway that other programs can reach. */
export interface AddressedGateway {
  readonly address: string
  readonly connection: GatewayConnection
  /** It was opened here, and ends with `close`. */
  readonly isOwn: boolean
  readonly close: () => Promise<void>
}

/** How long answers in progress may take when an own gateway ends, ms. */
const GRACE = 2_000

/** The gateway that runs on a home, else one on a free port of the loopback interface, without channels and schedules. */
export async function openAddressedGateway(home: string, io: Io): Promise<AddressedGateway> {
  for (const since = Date.now(); ; await systemClock.sleep(100)) {
    const found = await findGateway(home)
    if (found.type === 'gateway') {
      const { address, connection } = found
      return { address, connection, isOwn: false, close: () => Promise.resolve() }
    }
    const own = found.type === 'none' ? await openOwn(home, io) : undefined
    if (own !== undefined) return own
    if (Date.now() - since > HOME_TIMEOUT) {
      throw homeBusy(home, found.type === 'silent' ? `process ${found.pid}` : 'another process')
    }
  }
}

/** `undefined`: another process has claimed the home. */
async function openOwn(home: string, io: Io): Promise<AddressedGateway | undefined> {
  const [{ openGateway }, { StoreError }, { listen }, { note }] = await Promise.all([
    import('./gateway.ts'),
    import('../session.ts'),
    import('../server.ts'),
    import('./io.ts'),
  ])
  try {
    const gateway = await openGateway(home, io, (text) => note(io, text))
    try {
      const listening = await listen(gateway.server, { port: 0, bind: '127.0.0.1' })
      gateway.claim.update({ pid: process.pid, address: listening.url, started: gateway.started })
      return {
        address: listening.url,
        connection: connectionTo(listening.url, gateway.token),
        isOwn: true,
        async close() {
          await listening.close({ graceMs: GRACE })
          await gateway.close()
        },
      }
    } catch (error) {
      await gateway.close()
      throw error
    }
  } catch (error) {
    if (error instanceof StoreError && error.code === 'claimed') return undefined
    throw error
  }
}
