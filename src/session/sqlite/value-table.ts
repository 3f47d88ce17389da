import { StoreError } from '../store-error.ts'
import type { StoreConnection } from './connection.ts'
import { plan, type Parameter, type Tables, tables } from './tables.ts'

export function putValue(connection: StoreConnection, key: string, named: unknown): void {
  const json: string | undefined = JSON.stringify(named)
  if (json === undefined) throw new StoreError('invalid', `the value ${key} has no JSON: use null for nothing`)
  connection.run(upsertValue, { key, value: json })
}

export function readValue(connection: StoreConnection, key: string): unknown {
  const row = connection.get(oneValue, { key })
  return row && JSON.parse(row.value)
}

const upsertValue = plan((param: Parameter<Tables['named_values']>) =>
  tables
    .insertInto('named_values')
    .values({ key: param('key'), value: param('value') })
    .onConflict((conflict) => conflict.column('key').doUpdateSet((row) => ({ value: row.ref('excluded.value') }))),
)

const oneValue = plan((param: Parameter<{ key: string }>) =>
  tables.selectFrom('named_values').select('value').where('key', '=', param('key')),
)
