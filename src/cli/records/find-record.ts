import { ask } from '../answer.ts'
import type { Connection } from '../../capability.ts'
import { theOneNamed } from '../one-named.ts'
import type { LiveRecord, RecordKind } from './record-kind.ts'

export async function fetchRecords(connection: Connection, { name }: RecordKind): Promise<readonly LiveRecord[]> {
  const answer = await ask<Readonly<Record<string, readonly LiveRecord[]>>>(connection, `/api/${name}s`)
  return answer[`${name}s`] ?? []
}

/** The one that a word means: its id, its name in any case, or a beginning that only one of them has. */
export async function findRecord(connection: Connection, kind: RecordKind, word: string): Promise<LiveRecord> {
  const records = await fetchRecords(connection, kind)
  return theOneNamed(word, records, ({ id, value }) => ({ id, name: value.name }), kind.name)
}

/** The id of it. A word that means none is taken for the id of one that was removed. */
export async function idOf(connection: Connection, kind: RecordKind, word: string): Promise<string> {
  const records = await fetchRecords(connection, kind)
  const removed = new RegExp(`^${kind.name}[_-]\\w+$`).test(word) && !records.some(({ id }) => id.startsWith(word))
  return removed ? word : (await findRecord(connection, kind, word)).id
}
