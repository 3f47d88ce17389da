import { contentHash } from '../content.ts'
import type { Connection } from './connection.ts'
import { plan, type Slot } from './plan.ts'
import { type Tables, tables } from './tables.ts'

export function putContent(connection: Connection, text: string, hash = contentHash(text)): string {
  const escaped = text.isWellFormed() ? 0 : 1
  connection.run(insertContent, { hash, text: escaped ? JSON.stringify(text) : text, escaped })
  return hash
}

export function content(connection: Connection, hash: string): string | undefined {
  const row = connection.get(oneContent, { hash })
  return row?.escaped ? JSON.parse(row.text) : row?.text
}

const insertContent = plan((slot: Slot<Tables['contents']>) =>
  tables
    .insertInto('contents')
    .values({ hash: slot('hash'), text: slot('text'), escaped: slot('escaped') })
    .onConflict((conflict) => conflict.column('hash').doNothing()),
)

const oneContent = plan((slot: Slot<{ hash: string }>) =>
  tables.selectFrom('contents').select(['text', 'escaped']).where('hash', '=', slot('hash')),
)
