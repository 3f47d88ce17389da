import { setImmediate as others } from 'node:timers/promises'
import { sql } from 'kysely'
import { toolSumsOf } from '../call-sums.ts'
import type { EntryBody } from '../entry.ts'
import type { StoreConnection } from './connection.ts'
import { callSumColumns, putCallSum, putToolSums } from './sum-table.ts'
import { plan, type Parameter, tables } from './tables.ts'
import { putValue, readValue, removeValue } from './value-table.ts'

/** Calls that are held in memory at once: with its manifest, one may have several hundred kilobytes. */
const CALLS = 50
/** Rows of entries that are looked at in one transaction. Few of them are results of tools. */
const ENTRIES = 500

/** Until where the sums are written; the value is there while there is more to do. */
const KEY = 'filling/sums'

interface Progress {
  /** Number of the last call. */
  readonly calls: number
  /** Row of the last entry. */
  readonly entries: number
}

/**
 * The sums of the calls and entries that a store has from before there were sums. One transaction for each page, which also
 * writes how far it is: what is interrupted continues from there, and two processes may do it at once.
 */
export const fillSums = {
  /** To be called in the transaction that creates the tables. */
  begin(connection: StoreConnection): void {
    if (lastNumber(connection) > 0 || lastRow(connection) > 0) putValue(connection, KEY, { calls: 0, entries: 0 })
  },

  isPending: (connection: StoreConnection): boolean => progressOf(connection) !== undefined,

  /** Lets other work run between pages. `onProgress` gets a line for people. */
  async run(connection: StoreConnection, onProgress: (text: string) => void): Promise<void> {
    if (!fillSums.isPending(connection)) return
    const { count } = connection.rows(allCalls)[0]!
    const calls = count === 1 ? '1 earlier call' : `${count.toLocaleString('en')} earlier calls`
    const [number, row] = [lastNumber(connection), lastRow(connection)]
    for (;;) {
      const progress = connection.transaction(() => fillPage(connection))
      if (progress === undefined) return
      const isAtCalls = progress.entries === 0 && number > 0
      const share = isAtCalls ? progress.calls / number : progress.entries / Math.max(1, row)
      const what = isAtCalls ? calls : 'earlier results of tools'
      onProgress(`Reading the sums of ${what} (${Math.min(100, Math.floor(share * 100))} %)`)
      // oxlint-disable-next-line no-await-in-loop -- Ctrl-C and other work come between two pages
      await others()
    }
  },
}

/** Returns how far it is; `undefined` once everything is done. */
function fillPage(connection: StoreConnection): Progress | undefined {
  const progress = progressOf(connection)
  if (progress === undefined) return undefined
  const next = fillCalls(connection, progress) ?? fillEntries(connection, progress)
  if (next === undefined) removeValue(connection, KEY)
  else putValue(connection, KEY, next)
  return next
}

function fillCalls(connection: StoreConnection, progress: Progress): Progress | undefined {
  const page = connection.all(callsAfter, { after: progress.calls, limit: CALLS })
  for (const { number, record, outcome } of page) {
    const call = { ...JSON.parse(record), ...(outcome === null ? {} : { outcome: JSON.parse(outcome) }) }
    putCallSum(connection, number!, callSumColumns(call))
  }
  const last = page.at(-1)
  return last && { ...progress, calls: last.number! }
}

function fillEntries(connection: StoreConnection, progress: Progress): Progress | undefined {
  const after = progress.entries
  if (after >= lastRow(connection)) return undefined
  const upTo = after + ENTRIES
  for (const { data, ...entry } of connection.all(resultsBetween, { after, upTo })) {
    putToolSums(connection, entry, toolSumsOf(JSON.parse(data) as EntryBody))
  }
  return { ...progress, entries: upTo }
}

function progressOf(connection: StoreConnection): Progress | undefined {
  return readValue(connection, KEY) as Progress | undefined
}

function lastNumber(connection: StoreConnection): number {
  return connection.rows(newestCall)[0]?.number ?? 0
}

function lastRow(connection: StoreConnection): number {
  return connection.rows(newestEntry)[0]?.row ?? 0
}

const allCalls = tables.selectFrom('calls').select(({ fn }) => fn.countAll<number>().as('count'))

const newestCall = tables.selectFrom('calls').select('number').orderBy('number', 'desc').limit(sql.lit(1))

const newestEntry = tables
  .selectFrom('entries')
  .select(sql<number>`rowid`.as('row'))
  .orderBy(sql`rowid desc`)
  .limit(sql.lit(1))

const callsAfter = plan((param: Parameter<{ readonly after: number; readonly limit: number }>) =>
  tables
    .selectFrom('calls')
    .select(['number', 'record', 'outcome'])
    .where('number', '>', param('after'))
    .orderBy('number')
    .limit(param('limit')),
)

const resultsBetween = plan((param: Parameter<{ readonly after: number; readonly upTo: number }>) =>
  tables
    .selectFrom('entries')
    .select(['session', 'seq', 'time', 'data'])
    .where(sql<boolean>`rowid > ${param('after')} and rowid <= ${param('upTo')}`)
    .where('type', '=', sql.lit('message'))
    .where(sql<boolean>`data ->> '$.message.role' = 'tool'`),
)
