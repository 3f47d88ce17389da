import type { Clock } from '../../platform.ts'
import type { SessionStore } from '../session-store.ts'
import { StoreError } from '../store-error.ts'
import { createStore } from '../tables/create-store.ts'
import type { MemoryStore } from '../tables/find-damage.ts'
import type { Sql } from '../tables/sql.ts'
import { type StoredTable, storedTables } from '../tables/stored-tables.ts'
import { countRows, type DerivedColumns, readRows, rowSum, type StoredRow, writeRows } from './table-rows.ts'

/** One of the two stores of a copy, which nobody else writes to meanwhile. */
export interface CopySide {
  /** How errors name it. */
  readonly place: string
  work<Result>(work: Sql<Result>): Result | Promise<Result>
  /** Leaves everything as it was before, unless it was kept. */
  end(): Promise<void>
}

/** The store that is written: empty before, and empty again where it is ended before it was kept. */
export interface CopyTarget extends CopySide {
  readonly derived?: DerivedColumns
  /** Keeps what was written. It is on the disk then. */
  keep(): Promise<void>
}

export interface CopiedTable {
  readonly table: string
  readonly rows: number
  /** Of all its rows, in any order: 256 bits, lowercase hexadecimal. */
  readonly digest: string
}

export interface CopyOptions {
  readonly clock: Clock
  readonly signal?: AbortSignal | undefined
  readonly onProgress?: ((progress: CopyProgress) => void) | undefined
  /** Given both stores once all rows are the same, for what is to be found out before the copy is kept. Where it rejects, nothing is. */
  readonly check?: ((stores: { readonly from: SessionStore; readonly to: SessionStore }) => Promise<void>) | undefined
}

/** `openMemory`: a store in memory, to compare with. */
interface CopyRowsOptions extends CopyOptions {
  readonly openMemory: () => MemoryStore
}

export interface CopyProgress {
  readonly stage: 'copying' | 'comparing'
  /** Rows. */
  readonly done: number
  readonly all: number
}

/**
 * Copies every row of a store into an empty one and compares them. Ends both sides.
 *
 * @throws StoreError `conflict` (the target has rows), `not-synced` (it has other rows afterwards), and what the two databases report
 */
export async function copyRows(
  from: CopySide,
  to: CopyTarget,
  options: CopyRowsOptions,
): Promise<readonly CopiedTable[]> {
  const { clock, signal, onProgress, openMemory } = options
  try {
    await refuseRows(to)
    const counts: number[] = []
    for (const table of storedTables) counts.push(await from.work(countRows(table)))
    const all = counts.reduce((sum, count) => sum + count, 0)
    const copied = await eachTable(from, 'copying', (table, rows) => to.work(writeRows(table, rows, to.derived)))
    const written = await eachTable(to, 'comparing', () => {})
    const different = copied.find(
      ({ digest, rows }, at) => digest !== written[at]!.digest || rows !== written[at]!.rows,
    )
    if (different !== undefined) {
      const message = `the table ${different.table} of ${to.place} is not as it is in ${from.place}: nothing was kept`
      throw new StoreError('not-synced', message)
    }
    if (options.check) await options.check({ from: await storeOf(from), to: await storeOf(to) })
    signal?.throwIfAborted()
    await to.keep()
    return copied

    /** Gives the rows of every table to `use`, and adds them up. */
    async function eachTable(
      side: CopySide,
      stage: CopyProgress['stage'],
      use: (table: StoredTable, rows: readonly StoredRow[]) => void | Promise<void>,
    ): Promise<readonly CopiedTable[]> {
      const tables: CopiedTable[] = []
      let done = 0
      for (const table of storedTables) {
        const sum = rowSum()
        for (let last: StoredRow | undefined; ; await clock.yield()) {
          signal?.throwIfAborted()
          const rows = await side.work(readRows(table, last))
          if (rows.length === 0) break
          await use(table, rows)
          for (const row of rows) sum.add(row)
          last = rows.at(-1)
          done += rows.length
          onProgress?.({ stage, done, all })
        }
        tables.push({ table: table.name, rows: sum.rows, digest: sum.digest() })
      }
      return tables
    }

    async function storeOf({ place, work }: CopySide): Promise<SessionStore> {
      return createStore({
        place,
        clock,
        readOnly: true,
        read: (reading) => work(reading),
        queue: { failed: new Promise(() => {}), push: refuseWrite, onDisk: async () => {}, idle: () => undefined },
        openMemory,
        close() {},
      })
    }
  } finally {
    await Promise.allSettled([from.end(), to.end()])
  }
}

/** A store for reading refuses each write before. */
async function refuseWrite(): Promise<never> {
  throw new StoreError('readonly', 'a store that is copied takes no writes')
}

async function refuseRows(to: CopyTarget): Promise<void> {
  for (const table of storedTables) {
    if ((await to.work(countRows(table))) === 0) continue
    throw new StoreError('conflict', `There is a store at ${to.place} already: nothing was copied.`, {
      hint: 'Name an empty database, or another schema of it. A file can be moved away.',
    })
  }
}
