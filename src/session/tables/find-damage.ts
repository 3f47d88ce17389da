import { isDeepStrictEqual } from 'node:util'
import { errorMessage, timeSlice } from '../../platform.ts'
import { isWithdrawal } from '../append-plan.ts'
import { columnsOf } from './stored-tables.ts'
import { contentHash, rowDigest } from '../content.ts'
import type { EntryBody } from '../entry.ts'
import type { StoreDamage } from '../log-store.ts'
import { append, serializeBodies } from './entry-table.ts'
import { readCall } from './call-table.ts'
import { readContent } from './content-table.ts'
import { deleteSessionRow } from './session-table.ts'
import { all, forEach, get, type Query, type Sql, type SqlReader, statement, tuples } from './sql.ts'
import { callSumColumns } from './sum-table.ts'
import { areWholeTexts, withLongTexts } from './text-parts.ts'

/** A store in memory, in which rows are derived again. */
export interface MemoryStore {
  run<Result>(work: Sql<Result>): Result
  close(): void
}

/**
 * Reads the entries and calls of one session, or of all sessions and every content, row by row, and compares each row with its
 * digest, where it has one (since schema version 2). The rows that are derived from the entries are derived again. Yields what does not fit. An unreadable row does not end it.
 */
export async function* findDamage(
  database: SqlReader,
  openMemory: () => MemoryStore | Promise<MemoryStore>,
  session?: string,
): AsyncGenerator<StoreDamage> {
  const memory = await openMemory()
  // Another process may go on writing meanwhile.
  const ofSession = (id: string) => database.read(collect(sessionDamage, memory, id), 'one-snapshot')
  try {
    if (session !== undefined) return yield* await ofSession(session)
    for (const id of yield* keys(database, 'sessions', 'id')) {
      yield* await ofSession(String(id))
      memory.run(deleteSessionRow(String(id)))
      await database.clock.yield()
    }
  } finally {
    memory.close()
  }
  const work = timeSlice(database.clock)
  for (const number of yield* keys(database, 'calls', 'number')) {
    yield* await database.read(collect(callDamage, Number(number)))
    if (work.isOver()) await work.rest()
  }
  for (const hash of yield* keys(database, 'contents', 'hash')) {
    yield* await database.read(collect(contentDamage, String(hash)))
    if (work.isOver()) await work.rest()
  }
}

type Found = StoreDamage[]

/** The damage that `look` finds. */
function* collect<Arguments extends readonly unknown[]>(
  look: (found: Found, ...of: Arguments) => Sql<void>,
  ...of: Arguments
): Sql<readonly StoreDamage[]> {
  const found: StoreDamage[] = []
  yield* look(found, ...of)
  return found
}

/** The keys of a table. Where they cannot be read at once that is said, and the damage is approached from both ends. */
async function* keys(
  database: SqlReader,
  table: string,
  key: string,
): AsyncGenerator<StoreDamage, ReadonlySet<string | number>> {
  const found = new Set<string | number>()
  const read = async (more: string, ...after: readonly (string | number)[]) => {
    const query: Query<readonly [string | number]> = { sql: `select ${key} from ${table} ${more}` }
    return database.read(tuples(query, after))
  }
  try {
    return new Set((await read(`order by ${key}`)).map(([each]) => each))
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
        const [next] = last === undefined ? await read(more) : await read(`where ${key} ${beyond} ? ${more}`, last)
        last = next?.[0]
        if (last !== undefined) found.add(last)
      } while (last !== undefined)
    } catch {
      // Here is the damage.
    }
  }
  return found
}

function* sessionDamage(found: Found, memory: MemoryStore, session: string): Sql<void> {
  const of = (place: string) => ({ place: `${place} of session ${session}`, session })
  const entries = (yield* get(newestEntry, { session }))?.seq ?? 0
  // Of the entry before: the digest that it has, and where that is wrong also those that it should have. Unknown where it
  // cannot be read.
  let before: readonly string[] | undefined = ['']
  let isWhole = true
  for (let seq = 1; seq <= entries; seq += 1) {
    const digests = before
    before = undefined
    const entryIsWhole = yield* faults(found, of(`entry ${seq}`), function* () {
      const row = yield* get(storedEntry, { session, seq })
      if (row === undefined) return false
      const { time, type, turn, data, digest, parts } = row
      // Entries from before schema version 2 have no digest, and are the first of their session.
      if (digest === '' && digests?.every((each) => each === '')) {
        before = ['']
        return true
      }
      const possible = digests?.map((each) => rowDigest(each, seq, time, type, turn, data, ...(parts ? [parts] : [])))
      const follows = possible?.includes(digest) ?? true
      before = follows ? [digest] : [digest, ...possible!]
      return follows && (yield* areWholeTexts(parts))
    })
    isWhole &&= entryIsWhole
  }
  const chainIsWhole = yield* faults(found, of('the row in sessions'), function* () {
    const chain = (yield* get(storedChain, { session }))?.chain
    return before === undefined || (chain !== undefined && before.includes(chain))
  })
  if (!isWhole || !chainIsWhole) return
  yield* faults(found, of('a row'), function* () {
    const written = yield* forEach(yield* all(allEntries, { session }), function* ({ time, data, parts }) {
      return { time, body: yield* withLongTexts(JSON.parse(data) as EntryBody, parts) }
    })
    for (const [index, { time, body }] of written.entries()) {
      const next = written[index + 1]?.body
      if (isWithdrawal(body, next)) continue
      const previous = written[index - 1]?.body
      const bodies = isWithdrawal(previous, body) ? [previous!, body] : [body]
      memory.run(append(new Map(), session, serializeBodies(bodies), time))
    }
    return true
  })
  for (const [table, sql] of DERIVED) {
    yield* faults(found, of(`a row in ${table}`), function* () {
      const [stored, derived] = [yield* all({ sql }, [session]), memory.run(all({ sql }, [session]))]
      return JSON.stringify(stored, withoutChain) === JSON.stringify(derived, withoutChain)
    })
  }
  for (const { data } of yield* all(assemblies, { session })) {
    const { call: id } = JSON.parse(data) as { readonly call: string }
    yield* faults(found, of(`call ${id}`), function* () {
      return (yield* get(callById, { id }))?.session === session
    })
  }
}

/** The chain was compared before, and begins later where the first entries have no digest. */
const withoutChain = (key: string, value: unknown) => (key === 'chain' ? undefined : value)

/** What `append` derives from the entries. */
const DERIVED = [
  ['sessions', `select ${columnsOf('sessions')} from sessions where id = ?`],
  ['turns', `select ${columnsOf('turns')} from turns where session = ? order by ordinal`],
  ['tool_sums', `select ${columnsOf('tool_sums')} from tool_sums where session = ? order by seq, part`],
] as const

function* callDamage(found: Found, number: number): Sql<void> {
  let row: CallRow | undefined
  yield* faults(found, { place: `call number ${number}` }, function* () {
    row = yield* get(storedCall, { number })
    return row !== undefined
  })
  if (row === undefined) return
  const { id, session, record, digest, outcome, outcomeDigest } = row
  const of = session === null ? '' : ` of session ${session}`
  const where = (place: string) => ({ place: `${place}${of}`, ...(session !== null && { session }) })
  const recordIsWhole = digest === '' || digest === rowDigest(id, session, record)
  if (!(yield* faults(found, where(`call ${id}`), recordIsWhole))) return
  const isEarlier = digest === '' && outcomeDigest === null
  const outcomeIsWhole = isEarlier || outcomeDigest === (outcome && rowDigest(id, outcome))
  if (!(yield* faults(found, where(`the outcome of call ${id}`), outcomeIsWhole))) return
  yield* faults(found, where(`a row in call_sums of call ${id}`), function* () {
    const { number: _, layers, ...sums } = (yield* get(storedSums, { number }))!
    const call = (yield* readCall(id))!
    const { layers: counted, ...columns } = callSumColumns(call)
    // What other programs sent may be gone in part, with the session of the same words.
    return isDeepStrictEqual({ ...sums }, columns) && (call.foreign !== undefined || layers === counted)
  })
}

function* contentDamage(found: Found, hash: string): Sql<void> {
  yield* faults(found, { place: `content sha256:${hash}` }, function* () {
    // Removed with its session since the keys were read: no damage.
    return contentHash((yield* readContent(hash)) ?? '') === hash
  })
}

/** Whether a row is as it was written. Notes the damage where it is not, or cannot be read. */
function* faults(found: Found, where: Omit<StoreDamage, 'why'>, isWhole: boolean | (() => Sql<boolean>)): Sql<boolean> {
  try {
    if (typeof isWhole === 'boolean' ? isWhole : yield* isWhole()) return true
    found.push({ ...where, why: 'it is not as it was written' })
  } catch (error) {
    found.push({ ...where, why: errorMessage(error) })
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
  'select id, session, record, digest, outcome, outcome_digest as "outcomeDigest" from calls where number = :number',
)
const callById = statement<{ id: string }, { session: string | null }>('select session from calls where id = :id')
const assemblies = statement<{ session: string }, { data: string }>(
  "select data from entries where session = :session and type = 'assembly' order by seq",
)
const storedSums = statement<{ number: number }, { number: number; layers: string }>(
  `select ${columnsOf('call_sums')} from call_sums where number = :number`,
)
