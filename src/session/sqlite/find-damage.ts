import { isDeepStrictEqual } from 'node:util'
import { errorMessage, timeSlice } from '../../platform.ts'
import { isWithdrawal } from '../append-plan.ts'
import { contentHash, rowDigest } from '../content.ts'
import type { EntryBody } from '../entry.ts'
import type { StoreDamage } from '../log-store.ts'
import { append, serializeBodies } from './entry-table.ts'
import { openStoreConnection, type StoreConnection } from './connection.ts'
import { readCall } from './call-table.ts'
import { readContent } from './content-table.ts'
import { migrate } from './migrations.ts'
import { deleteSessionRow } from './session-table.ts'
import { statement } from './statement.ts'
import { callSumColumns } from './sum-table.ts'
import { areWholeTexts, withLongTexts } from './text-parts.ts'

/**
 * Reads the entries and calls of one session, or of all sessions and every content, row by row, and compares each row with its
 * digest, where it has one (since schema version 2). The rows that are derived from the entries are derived again. Yields what does not fit. An unreadable row does not end it.
 */
export async function* findDamage(connection: StoreConnection, session?: string): AsyncGenerator<StoreDamage> {
  const memory = openStoreConnection({ path: ':memory:', clock: connection.clock })
  const ofSession = (id: string) => inOneState(connection, () => [...sessionDamage(connection, memory, id)])
  try {
    migrate(memory)
    if (session !== undefined) return yield* ofSession(session)
    for (const id of yield* keys(connection, 'sessions', 'id')) {
      yield* ofSession(String(id))
      deleteSessionRow(memory, String(id))
      await connection.clock.yield()
    }
  } finally {
    memory.close()
  }
  const work = timeSlice(connection.clock)
  for (const number of yield* keys(connection, 'calls', 'number')) {
    yield* callDamage(connection, Number(number))
    if (work.isOver()) await work.rest()
  }
  for (const key of yield* keys(connection, 'contents', 'hash')) {
    const hash = String(key)
    // Removed with its session since the keys were read: no damage.
    yield* faults({ place: `content sha256:${hash}` }, () => contentHash(readContent(connection, hash) ?? '') === hash)
    if (work.isOver()) await work.rest()
  }
}

/** While another process goes on writing. */
function inOneState<Result>(connection: StoreConnection, work: () => Result): Result {
  connection.execute('begin')
  try {
    return work()
  } finally {
    connection.execute('rollback')
  }
}

/** The keys of a table. Where they cannot be read at once that is said, and the damage is approached from both ends. */
function* keys(
  connection: StoreConnection,
  table: string,
  key: string,
): Generator<StoreDamage, ReadonlySet<string | number>> {
  const found = new Set<string | number>()
  const read = (more: string, ...after: readonly (string | number)[]) =>
    connection.queryTuples<readonly [string | number]>(`select ${key} from ${table} ${more}`, ...after)
  try {
    return new Set(read(`order by ${key}`).map(([each]) => each))
  } catch (error) {
    yield { place: `the table ${table}`, why: errorMessage(error) }
  }
  for (const [order, beyond] of [
    ['asc', '>'],
    ['desc', '<'],
  ]) {
    let last: string | number | undefined
    try {
      do {
        const more = `order by ${key} ${order} limit 1`
        const [next] = last === undefined ? read(more) : read(`where ${key} ${beyond} ? ${more}`, last)
        last = next?.[0]
        if (last !== undefined) found.add(last)
      } while (last !== undefined)
    } catch {
      // Here is the damage.
    }
  }
  return found
}

function* sessionDamage(connection: StoreConnection, memory: StoreConnection, session: string): Generator<StoreDamage> {
  const of = (place: string) => ({ place: `${place} of session ${session}`, session })
  const entries = connection.get(newestEntry, { session })?.seq ?? 0
  // Of the entry before: the digest that it has, and the one that it should have. Unknown where it cannot be read.
  let before: readonly string[] | undefined = ['']
  let isWhole = true
  for (let seq = 1; seq <= entries; seq += 1) {
    const digests = before
    before = undefined
    const entryIsWhole = yield* faults(of(`entry ${seq}`), () => {
      const row = connection.get(storedEntry, { session, seq })
      if (row === undefined) return false
      const { time, type, turn, data, digest, parts } = row
      // Entries from before schema version 2 have no digest, and are the first of their session.
      if (digest === '' && digests?.every((each) => each === '')) {
        before = ['']
        return true
      }
      const possible = digests?.map((each) => rowDigest(each, seq, time, type, turn, data, ...(parts ? [parts] : [])))
      before = [digest, ...(possible ?? [])]
      return (possible?.includes(digest) ?? true) && areWholeTexts(connection, parts)
    })
    isWhole &&= entryIsWhole
  }
  const chainIsWhole = yield* faults(of('the row in sessions'), () => {
    const chain = connection.get(storedChain, { session })?.chain
    return before === undefined || (chain !== undefined && before.includes(chain))
  })
  if (!isWhole || !chainIsWhole) return
  yield* faults(of('a row'), () => {
    const all = connection
      .all(allEntries, { session })
      .map(({ time, data, parts }) => ({ time, body: withLongTexts(connection, parse(data), parts) }))
    for (const [index, { time, body }] of all.entries()) {
      const next = all[index + 1]?.body
      if (isWithdrawal(body, next)) continue
      const previous = all[index - 1]?.body
      const bodies = isWithdrawal(previous, body) ? [previous!, body] : [body]
      append(memory, new Map(), session, serializeBodies(bodies), time)
    }
    return true
  })
  for (const [table, query] of DERIVED) {
    yield* faults(of(`a row in ${table}`), () => {
      const [found, derived] = [connection, memory].map((each) =>
        JSON.stringify(each.query(query, session), withoutChain),
      )
      return found === derived
    })
  }
  for (const { call } of connection.query<{ readonly call: string }>(ANNOUNCED, session)) {
    yield* faults(of(`call ${call}`), () => connection.get(callById, { id: call })?.session === session)
  }
}

/** The chain was compared before, and begins later where the first entries have no digest. */
const withoutChain = (key: string, value: unknown) => (key === 'chain' ? undefined : value)

const parse = (data: string): EntryBody => JSON.parse(data)

/** What `append` derives from the entries. */
const DERIVED = [
  ['sessions', 'select * from sessions where id = ?'],
  ['turns', 'select * from turns where session = ? order by ordinal'],
  ['tool_sums', 'select * from tool_sums where session = ? order by seq, part'],
] as const

const SUMS = 'select * from call_sums where number = ?'

const ANNOUNCED = `select json_extract(data, '$.call') as call from entries where session = ? and type = 'assembly'`

function* callDamage(connection: StoreConnection, number: number): Generator<StoreDamage> {
  let row: CallRow | undefined
  yield* faults({ place: `call number ${number}` }, () => {
    row = connection.get(storedCall, { number })
    return row !== undefined
  })
  if (row === undefined) return
  const { id, session, record, digest, outcome, outcomeDigest } = row
  const of = session === null ? '' : ` of session ${session}`
  const where = (place: string) => ({ place: `${place}${of}`, ...(session !== null && { session }) })
  if (!(yield* faults(where(`call ${id}`), () => digest === '' || digest === rowDigest(id, session, record)))) return
  const isEarlier = digest === '' && outcomeDigest === null
  const outcomeIsWhole = () => isEarlier || outcomeDigest === (outcome && rowDigest(id, outcome))
  if (!(yield* faults(where(`the outcome of call ${id}`), outcomeIsWhole))) return
  yield* faults(where(`a row in call_sums of call ${id}`), () => {
    const {
      number: _,
      layers,
      ...sums
    } = connection.query<object & { number: number; layers: string }>(SUMS, number)[0]!
    const call = readCall(connection, id)!
    const { layers: counted, ...columns } = callSumColumns(call)
    // What other programs sent may be gone in part, with the session of the same words.
    return isDeepStrictEqual({ ...sums }, columns) && (call.foreign !== undefined || layers === counted)
  })
}

/** Whether a row is as it was written. Yields the damage where it is not, or cannot be read. */
function* faults(where: Omit<StoreDamage, 'why'>, isWhole: () => boolean): Generator<StoreDamage, boolean> {
  try {
    if (isWhole()) return true
    yield { ...where, why: 'it is not as it was written' }
  } catch (error) {
    yield { ...where, why: errorMessage(error) }
  }
  return false
}

interface CallRow {
  readonly id: string
  readonly session: string | null
  readonly record: string
  readonly digest: string
  readonly outcome: string | null
  readonly outcomeDigest: string | null
}

const newestEntry = statement<{ session: string }, { seq: number | null }>(
  'select max(seq) as seq from entries where session = :session',
)
const storedEntry = statement<
  { session: string; seq: number },
  { time: string; type: string; turn: string | null; data: string; digest: string; parts: string | null }
>('select time, type, turn, data, digest, parts from entries where session = :session and seq = :seq')
const allEntries = statement<{ session: string }, { time: string; data: string; parts: string | null }>(
  'select time, data, parts from entries where session = :session order by seq',
)
const storedChain = statement<{ session: string }, { chain: string }>('select chain from sessions where id = :session')
const storedCall = statement<{ number: number }, CallRow>(
  'select id, session, record, digest, outcome, outcome_digest as outcomeDigest from calls where number = :number',
)
const callById = statement<{ id: string }, { session: string | null }>('select session from calls where id = :id')
