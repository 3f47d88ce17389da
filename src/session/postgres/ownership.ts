import type { SqliteValue } from '../../platform.ts'
import type { GatewayFacts, GatewayRow } from '../gateways.ts'
import { DEFAULT_SCHEMA } from './address.ts'
import { knownVersion } from './schema.ts'
import { SIGN_MS, SILENT_SIGNS } from './signs-task.ts'
import { all, get, run, type Sql, statement } from '../tables/sql.ts'

/** "FwSt" in ASCII: the number of the lock in the usual schema. */
const LOCK_NUMBER = 0x46775374
/** The number of the lock of a schema, as SQL. The lock is held by the connection that writes. */
export const ownerLock = (schema: string) =>
  `(case ${schema} when '${DEFAULT_SCHEMA}' then ${LOCK_NUMBER} else hashtextextended(cast(${schema} as text), ${LOCK_NUMBER}) end)`
/** The same for the one that is held in the transaction that changes who writes, so that one process does it at a time. */
export const changeLock = (schema: string) => `(${ownerLock(schema)} # 1)`
/** The same for the one that is held by who brings the tables to another version. */
export const migrationLock = (schema: string) => `(${ownerLock(schema)} # 2)`

const LOCK = ownerLock('current_schema()')
const CHANGE_LOCK = changeLock('current_schema()')

/** A process whose heartbeat is older is taken for lost, ms: that of its writes, which may be busy. */
export const LEASE_MS = 5_000
/** The same for the signs of life that no work delays, ms. */
const SIGNS_LEASE_MS = SIGN_MS * SILENT_SIGNS
export const HEARTBEAT_MS = 1_000
/** For how long the process that wrote before a restart of the database may come back first, ms. */
const RETURN_MS = 3_000
/** How long an ended connection may need to give its lock free, ms. */
const END_MS = 2_000
/** Rows of processes that were lost stay for a day. */
const FORGOTTEN_SECONDS = 86_400

/**
 * Whether the database waits for the signs of a process (the name of their connection) for longer than their lease, as SQL. A connection
 * that is not there says nothing: the process may be about to open it.
 */
const areMissing = (signs: string) => `
  coalesce((select bool_and(given.state = 'idle' and given.state_change < clock_timestamp() - interval '${SIGNS_LEASE_MS} milliseconds')
    from pg_stat_activity as given where given.application_name = ${signs}), false)`

const HOLDER = `
  select locks.pid, not (coalesce(activity.state, '') = 'active' and coalesce(activity.wait_event_type, '') <> 'Client') as waits,
      activity.application_name as name, coalesce(host(activity.client_addr), 'this machine') as host
    from pg_locks as locks left join pg_stat_activity as activity on activity.pid = locks.pid
    where locks.locktype = 'advisory' and locks.granted and locks.objsubid = 1
      and (cast(locks.classid as bigint) << 32) | cast(locks.objid as bigint) = ${LOCK}
      and locks.database = (select oid from pg_database where datname = current_database())`

const register = statement<RegisteredRow>(`
  insert into gateways (id, host, pid, version, tables, signs, started, heartbeat)
    values (:id, :host, :pid, :version, :tables, :signs, clock_timestamp(), clock_timestamp())
    on conflict (id) do update set heartbeat = excluded.heartbeat, signs = excluded.signs`)
const forget = statement<{ seconds: number }>(`
  delete from gateways where heartbeat < clock_timestamp() - make_interval(secs => cast(:seconds as double precision))`)
const setAddress = statement<{ id: string; address: string }>('update gateways set address = :address where id = :id')
const remove = statement<{ id: string }>('delete from gateways where id = :id')
const release = statement<{ id: string }>('update ownership set gateway = null where gateway = :id')
const isMyTurn = statement<object, { taken: boolean }>(`select pg_try_advisory_xact_lock(${CHANGE_LOCK}) as taken`)
const keepTurn = statement<object, { taken: boolean }>(`select pg_try_advisory_lock(${CHANGE_LOCK}) as taken`)
const takeLock = statement<object, { taken: boolean }>(`select pg_try_advisory_lock(${LOCK}) as taken`)
const takeLockAfterOwner = statement<{ milliseconds: number }, { taken: boolean }>(`
  select case when (select gateway from ownership) is null
      or pg_postmaster_start_time() < clock_timestamp() - make_interval(secs => cast(:milliseconds as double precision) / 1000)
    then pg_try_advisory_lock(${LOCK}) else false end as taken`)
const endLostHolder = statement<{ lease: number; milliseconds: number }, { ended: boolean }>(`
  select pg_terminate_backend(holder.pid, cast(:milliseconds as bigint)) as ended from (${HOLDER}) as holder
    where holder.waits
      and (coalesce((select heartbeat from gateways where id = (select gateway from ownership)), '-infinity')
          < clock_timestamp() - make_interval(secs => cast(:lease as double precision) / 1000)
        or ${areMissing('(select signs from gateways where id = (select gateway from ownership))')})`)
const endHolder = statement<{ pid: number; milliseconds: number }, { ended: boolean }>(`
  select pg_terminate_backend(holder.pid, cast(:milliseconds as bigint)) as ended from (${HOLDER}) as holder where holder.pid = :pid`)
const advance = statement<{ id: string }, { epoch: number }>(`
  update ownership set epoch = epoch + 1, gateway = :id, since = clock_timestamp() returning epoch`)
const readEpoch = statement<object, { epoch: number; pid: number }>(
  'select epoch, pg_backend_pid() as pid from ownership',
)
const findHolder = statement<object, { pid: number; waits: boolean; name: string | null; host: string }>(HOLDER)
// The tables of another home may be those of a version before.
const listRows = statement<{ lease: number }, ListedRow>(`
  select id, host, pid, address, version, extract(epoch from started) * 1000 as started,
      extract(epoch from heartbeat) * 1000 as heartbeat,
      heartbeat < clock_timestamp() - make_interval(secs => cast(:lease as double precision) / 1000)
        or ${areMissing("to_jsonb(gateways) ->> 'signs'")} as lost,
      (select extract(epoch from since) * 1000 from ownership where gateway = id) as since
    from gateways order by id = (select gateway from ownership) desc nulls last, gateways.started, id`)

interface RegisteredRow {
  readonly id: string
  readonly host: string
  readonly pid: number
  readonly version: string
  readonly tables: number
  readonly signs: string | null
}

interface ListedRow {
  readonly id: string
  readonly host: string
  readonly pid: number
  readonly address: string | null
  readonly version: string
  readonly started: number
  readonly heartbeat: number
  readonly lost: boolean
  readonly since: number | null
}

/** Adds the row of a process, or says once more that it is alive. */
export const registerGateway = (id: string, { host, version, signs }: GatewayFacts): Sql<number> =>
  run(register, { id, host, pid: process.pid, version, tables: knownVersion(), signs: signs?.name() ?? null })

export const announceGateway = (id: string, address: string): Sql<number> => run(setAddress, { id, address })

/** Removes the row of a process that ends, and gives the store to the next one. */
export function* removeGateway(id: string): Sql<void> {
  yield* run(remove, { id })
  yield* run(release, { id })
}

/**
 * Makes this process the one that writes, with the next epoch. To be run in a transaction of the connection that will write. Where it is
 * undone, the lock goes with the connection.
 *
 * `undefined`: another process writes. One that waited (`waited`) lets the process that wrote before a restart of the database come first.
 */
export function* takeStore(id: string, gateway: GatewayFacts, waited: boolean): Sql<number | undefined> {
  if (!(yield* get(isMyTurn, {}))!.taken) return undefined
  const first = waited ? get(takeLockAfterOwner, { milliseconds: RETURN_MS }) : get(takeLock, {})
  if (!(yield* first)!.taken) {
    const ended = yield* get(endLostHolder, { lease: LEASE_MS, milliseconds: END_MS })
    if (ended?.ended !== true || !(yield* get(takeLock, {}))!.taken) return undefined
  }
  const { epoch } = (yield* get(advance, { id }))!
  yield* registerGateway(id, gateway)
  yield* run(forget, { seconds: FORGOTTEN_SECONDS })
  return epoch
}

/**
 * Takes the lock of the store without becoming its owner: no process does for as long as this connection is open, nor does one look for
 * signs of life of it.
 */
export function* holdStore(): Sql<boolean> {
  return (yield* get(keepTurn, {}))!.taken && (yield* get(takeLock, {}))!.taken
}

/** What a transaction that writes does first: nobody takes the store before it ends. */
export const READ_TRANSACTION = 'select pg_current_xact_id() as id, epoch from ownership for share'

/**
 * Takes the lock back for a connection in the place of one that was lost (`former`), which the database may still keep. Returns the epoch
 * that the store has then, and whether this connection has the lock; otherwise another one has it.
 */
export function* takeLockBack(former: number): Sql<{ readonly epoch: number; readonly hasLock: boolean }> {
  let { taken } = (yield* get(takeLock, {}))!
  if (!taken) {
    const ended = yield* get(endHolder, { pid: former, milliseconds: END_MS })
    if (ended?.ended === true) ({ taken } = (yield* get(takeLock, {}))!)
  }
  const { epoch } = (yield* get(readEpoch, {}))!
  return { epoch, hasLock: taken }
}

/** The epoch of the store, and the number of this connection in the database. */
export function* readOwnership(): Sql<{ readonly epoch: number; readonly pid: number }> {
  return (yield* get(readEpoch, {}))!
}

/** Who holds the lock of a database: its connection, whether that waits for its process, and its name in words. */
export function* readHolder(): Sql<
  { readonly pid: number; readonly waits: boolean; readonly words: string } | undefined
> {
  const row = yield* get(findHolder, {})
  return row && { pid: row.pid, waits: row.waits, words: `${row.name ?? 'another gateway'} of ${row.host}` }
}

/** The processes on the database: the one that writes first. */
export function* readGateways(): Sql<readonly GatewayRow[]> {
  const rows = yield* all(listRows, { lease: LEASE_MS })
  return rows.map(({ address, lost, since, started, heartbeat, ...row }) => ({
    ...row,
    ...(address !== null && { address }),
    started: timeOf(started),
    heartbeat: timeOf(heartbeat),
    state: lost ? 'lost' : since === null ? 'standby' : 'active',
    ...(since !== null && { since: timeOf(since) }),
  }))
}

const timeOf = (milliseconds: SqliteValue): string => new Date(Number(milliseconds)).toISOString()
