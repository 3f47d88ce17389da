import { type Clock, errorMessage, settlesWithin } from '../../platform.ts'
import type { GatewayFacts, GatewayRow, Standby } from '../gateways.ts'
import { StoreError } from '../store-error.ts'
import { type DatabaseClient, openClient, type PostgresAddress } from './client.ts'
import { announceGateway, HEARTBEAT_MS, LEASE_MS, readGateways, registerGateway, removeGateway } from './ownership.ts'

/**
 * How often the lock is asked for, ms. A statement that waits for a lock would keep its view of the database for as long, and nothing
 * that was deleted meanwhile could be given free.
 */
const POLL_MS = 200

export interface WriterOptions {
  readonly at: PostgresAddress
  readonly clock: Clock
  /** The name of this process among those on the database. */
  readonly id: string
  readonly gateway: GatewayFacts
  /** Absent: where another process has the store, this one does not wait. */
  readonly standby?: Standby | undefined
}

interface Taken {
  readonly epoch: number
  readonly pid: number
}

interface WaitOptions extends WriterOptions {
  readonly standby: Standby
  readonly place: string
  /** The connection with which it was asked first. */
  readonly first: DatabaseClient
  take(client: DatabaseClient, waited: boolean): Promise<Taken | undefined>
}

/**
 * Waits until this process has the store: the one that has it ends, or is lost. Rejects with `closed` where the wait is ended. A database
 * that cannot be reached is waited for. Rejects with `newer` once the tables are those of a Foreword that this one is too old for.
 */
export async function waitForStore({ at, clock, id, gateway, standby, place, first, take }: WaitOptions) {
  let client = first
  let active: GatewayRow | undefined
  let address: string | undefined
  let registered = -Infinity
  let isReported = false
  let fault: string | undefined
  /** The connection that lists the gateways, several times a second, unless it is at it. */
  let reader: DatabaseClient | undefined
  let isOver = false

  try {
    return await wait()
  } finally {
    isOver = true
    const idle = reader
    reader = undefined
    void idle?.end()
  }

  async function wait() {
    for (; standby.signal?.aborted !== true; await clock.sleep(POLL_MS, standby.signal)) {
      const asked = ask()
      // No answer comes where the network drops everything.
      if (!(await settlesWithin(clock, asked, LEASE_MS))) client.drop()
      try {
        const taken = await asked
        if (taken) return { client, ...taken }
        fault = undefined
      } catch (error) {
        if (error instanceof StoreError && error.code === 'newer') {
          await end()
          throw error
        }
        const text = errorMessage(error)
        if (text !== fault) standby.warn?.(`This gateway stands by, and cannot see its database: ${text}`)
        fault = text
        client.drop()
      }
      if (!isReported) {
        isReported = true
        standby.waits({ id, active: () => active, list, announce })
      }
    }
    await end()
    throw new StoreError('closed', `The wait for the store ${place} was ended.`)
  }

  async function end(): Promise<void> {
    await client.work(removeGateway(id)).catch(() => {})
    await client.end()
  }

  async function ask(): Promise<Taken | undefined> {
    if (client.isLost) {
      client = await openClient(at, { pipelined: true })
      registered = -Infinity
    }
    const taken = await take(client, true)
    if (taken !== undefined || clock.monotonic() - registered < HEARTBEAT_MS) return taken
    await client.work(registerGateway(id, gateway))
    if (address !== undefined) await client.work(announceGateway(id, address))
    const [newest] = await client.work(readGateways())
    active = newest?.since === undefined ? undefined : newest
    registered = clock.monotonic()
    return undefined
  }

  async function list(): Promise<readonly GatewayRow[]> {
    const own = reader?.isLost === false ? reader : await openClient(at)
    reader = undefined
    const asked = own.work(readGateways())
    if (!(await settlesWithin(clock, asked, LEASE_MS))) own.drop()
    try {
      return await asked
    } finally {
      if (isOver || reader !== undefined || own.isLost) await own.end()
      else reader = own
    }
  }

  async function announce(where: string): Promise<void> {
    address = where
    registered = -Infinity
  }
}
