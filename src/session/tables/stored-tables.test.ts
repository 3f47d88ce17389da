import assert from 'node:assert/strict'
import { DatabaseSync } from 'node:sqlite'
import { test } from 'node:test'
import { systemClock } from '../../platform.ts'
import { temporaryStore } from '../../../test/session/temporary-store.ts'
import { openStoreFile } from '../sqlite/open-sqlite-store.ts'
import { storedTables } from './stored-tables.ts'

test('every table of a store is copied, with every column', async (context) => {
  const path = await temporaryStore(context)
  await (await openStoreFile({ path, clock: systemClock })).close()
  const database = new DatabaseSync(path, { readOnly: true })
  const tables = database
    .prepare("select name from sqlite_schema where type = 'table' and name <> 'schema_version'")
    .all()
    .map(({ name }) => String(name))
  const columns = (table: string) =>
    database
      .prepare(`select name from pragma_table_info(?)`)
      .all(table)
      .map(({ name }) => String(name))
  assert.deepEqual(
    new Map(storedTables.map((table) => [table.name, table.columns])),
    new Map(storedTables.filter(({ name }) => tables.includes(name)).map(({ name }) => [name, columns(name)])),
  )
  assert.deepEqual(tables.toSorted(), storedTables.map(({ name }) => name).toSorted())
  database.close()
})
