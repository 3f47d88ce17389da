import { StoreError } from '../store-error.ts'
import { get, run, type Sql, statement } from './sql.ts'

export function* putValue(key: string, named: unknown): Sql<void> {
  const json: string | undefined = JSON.stringify(named)
  if (json === undefined) throw new StoreError('invalid', `the value ${key} has no JSON: use null for nothing`)
  yield* run(upsertValue, { key, value: json })
}

export function* readValue(key: string): Sql<unknown> {
  const row = yield* get(oneValue, { key })
  return row && JSON.parse(row.value)
}

const upsertValue = statement<{ key: string; value: string }>(
  'insert into named_values (key, value) values (:key, :value) on conflict (key) do update set value = excluded.value',
)
const oneValue = statement<{ key: string }, { value: string }>('select value from named_values where key = :key')
