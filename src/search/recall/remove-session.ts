import type { Connection } from '../sqlite/connection.ts'
import type { PassageKind } from '../recall.ts'
import type { Languages } from './languages.ts'
import { rangeOf } from './numbering.ts'
import { stemsOf } from './stems.ts'
import { wordsTable } from './tables.ts'

/** Passages that are taken out in one transaction: some 10 ms. */
const STEP = 64

/** Takes the next passages of a session out. From the first step on nothing of it is found. Answers whether more is left. */
export function removeSome(connection: Connection, session: string, languages: Languages): boolean {
  connection.execute('pragma secure_delete = on')
  try {
    const isMore = connection.transaction(() => removeStep(connection, session, languages))
    // What was written before is in the log of the database too, until it is emptied.
    if (!isMore) connection.execute('pragma wal_checkpoint(truncate)')
    return isMore
  } finally {
    connection.execute('pragma secure_delete = off')
  }
}

function removeStep(connection: Connection, session: string, languages: Languages): boolean {
  const known = connection.get<{ readonly number: number; readonly shard: number }>(
    'select number, shard from sessions where id = ?',
    session,
  )
  if (!known) return false
  const { first, last } = rangeOf(known.number)
  const rows = connection.all<StoredPassage>(
    'select number, kind, text, language from passages where number between ? and ? order by number limit ?',
    first,
    last,
    STEP,
  )
  const words = wordsTable(known.shard)
  for (const { number, kind, text, language } of rows) {
    const stems = stemsOf(text, kind, languages.named(language)!)
    connection.run(`insert into ${words} (${words}, rowid, stems) values ('delete', ?, ?)`, number, stems)
    connection.run('delete from passages where number = ?', number)
  }
  if (rows.length === STEP) connection.run("update sessions set leaving = 1, mark = '' where number = ?", known.number)
  else connection.run('delete from sessions where number = ?', known.number)
  return rows.length === STEP
}

interface StoredPassage {
  readonly number: number
  readonly kind: PassageKind
  readonly text: string
  readonly language: string
}
