import { sql } from 'kysely'
import type { EntryBody } from '../entry.ts'
import type { StoreConnection } from './connection.ts'
import { putCallSum, putToolSums } from './sum-table.ts'
import { plan, type Parameter, tables } from './tables.ts'

/** Rows that are held in memory at once. */
const PAGE = 500

/** Writes the sums of the calls and entries that a store has from before there were sums. */
export function fillSums(connection: StoreConnection): void {
  for (let after = 0; ;) {
    const page = connection.all(callsAfter, { after, limit: PAGE })
    for (const { number, record, outcome } of page) {
      putCallSum(connection, number!, {
        ...JSON.parse(record),
        ...(outcome === null ? {} : { outcome: JSON.parse(outcome) }),
      })
    }
    if (page.length < PAGE) break
    after = page.at(-1)!.number!
  }
  for (let after = 0; ;) {
    const page = connection.all(resultsAfter, { after, limit: PAGE })
    for (const { data, ...entry } of page) putToolSums(connection, entry, JSON.parse(data) as EntryBody)
    if (page.length < PAGE) break
    after = page.at(-1)!.row
  }
}

interface Page {
  readonly after: number
  readonly limit: number
}

const callsAfter = plan((param: Parameter<Page>) =>
  tables
    .selectFrom('calls')
    .select(['number', 'record', 'outcome'])
    .where('number', '>', param('after'))
    .orderBy('number')
    .limit(param('limit')),
)

const resultsAfter = plan((param: Parameter<Page>) =>
  tables
    .selectFrom('entries')
    .select(['session', 'seq', 'time', 'data', sql<number>`rowid`.as('row')])
    .where(sql<boolean>`rowid > ${param('after')}`)
    .where('type', '=', sql.lit('message'))
    .where(sql<boolean>`data ->> '$.message.role' = 'tool'`)
    .orderBy(sql`rowid`)
    .limit(param('limit')),
)
