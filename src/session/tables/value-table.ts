import { StoreError } from '../store-error.ts'
import { get, run, type Sql, statement } from './sql.ts'

export function* putValue(key: string, named: unknown): Sql<void> {
  const json: string | undefined = JSON.stringify(named)
  if (json === undefined) throw new StoreError('invalid', `the value ${key} has no JSON: use null for nothing`)
  yield* run(upsertValue, { key, value: json }, 'unread')
}

/** Two processes that replace the same value at once: one of them is refused. */
export function* replaceValue(key: string, named: unknown, was: unknown): Sql<void> {
  const value = JSON.stringify(named)
  const changed =
    was === undefined
      ? yield* run(insertValue, { key, value })
      : yield* run(updateValue, { key, value, was: JSON.stringify(was) })
  if (changed !== 1) throw new StoreError('conflict', `the value ${key} was changed meanwhile`)
}

export function* readValue(key: string): Sql<unknown> {
  const row = yield* get(oneValue, { key })
  return row && JSON.parse(row.value)
}

const upsertValue = statement<{ key: string; value: string }>(
  'insert into named_values (key, value) values (:key, :value) on conflict (key) do update set value = excluded.value',
)
const oneValue = statement<{ key: string }, { value: string }>('select value from named_values where key = :key')
const insertValue = statement<{ key: string; value: string }>(
  'insert into named_values (key, value) values (:key, :value) on conflict (key) do nothing',
)
const updateValue = statement<{ key: string; value: string; was: string }>(
  'update named_values set value = :value where key = :key and value = :was',
)
