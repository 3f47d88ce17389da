import { StoreError } from '../store-error.ts'
import type { Connection } from './connection.ts'
import { plan, type Slot } from './plan.ts'
import { type Tables, tables } from './tables.ts'

export function putValue(connection: Connection, key: string, named: unknown): void {
  const json: string | undefined = JSON.stringify(named)
  if (json === undefined) throw new StoreError('invalid', `the value ${key} has no JSON: use null for nothing`)
  connection.run(upsertValue, { key, value: json })
}

export function value(connection: Connection, key: string): unknown {
  const row = connection.get(oneValue, { key })
  return row && JSON.parse(row.value)
}

const upsertValue = plan((slot: Slot<Tables['named_values']>) =>
  tables
    .insertInto('named_values')
    .values({ key: slot('key'), value: slot('value') })
    .onConflict((conflict) => conflict.column('key').doUpdateSet((row) => ({ value: row.ref('excluded.value') }))),
)

const oneValue = plan((slot: Slot<{ key: string }>) =>
  tables.selectFrom('named_values').select('value').where('key', '=', slot('key')),
)
