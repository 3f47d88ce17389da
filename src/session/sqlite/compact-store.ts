import { type Clock, compactSqliteFile } from '../../platform.ts'
import { type StoreConnection, openStoreConnection } from './connection.ts'
import { readContent, removeContent } from '../tables/content-table.ts'
import { migrate, refuseOtherVersions } from './migrations.ts'
import { storeFile } from '../store-error.ts'
import { all, get, overwriting, run, statement } from '../tables/sql.ts'
import { readTexts } from '../tables/text-parts.ts'

interface RemovedContents {
  readonly contents: number
  readonly characters: number
}

/** Rows that are read or removed at once: some milliseconds of work. */
const PAGE = 500

/**
 * Every column that can reference a content by its hash. A hash anywhere in them keeps its content, so that only unneeded
 * contents are removed.
 */
const COLUMNS: readonly (readonly [table: string, column: string])[] = [
  ['entries', 'data'],
  ['calls', 'record'],
  ['calls', 'outcome'],
  ['named_values', 'value'],
  ['audit', 'record'],
  ['records', 'value'],
  ['files', 'facts'],
  ['files', 'state'],
]

/** See `compactStore`. */
export async function compactStoreFile(
  path: string,
  clock: Clock,
  onProgress: (text: string) => void,
): Promise<RemovedContents> {
  refuseOtherVersions(path)
  const connection = openStoreConnection({ path, clock })
  let removed: RemovedContents
  try {
    migrate(connection)
    const needed = await neededContents(connection, onProgress)
    removed = await removeOthers(connection, needed, onProgress)
  } finally {
    connection.close()
  }
  onProgress('freeing the disk space')
  compactSqliteFile(path, storeFile)
  return removed
}

async function neededContents(
  connection: StoreConnection,
  onProgress: (text: string) => void,
): Promise<ReadonlySet<string>> {
  const every = new Set<string>()
  for await (const hash of pages(connection, 'contents', 'hash')) every.add(hash)
  const needed = new Set<string>()
  const waiting: string[] = []
  const note = (text: string) => {
    for (const [hash] of text.matchAll(HASH)) {
      if (!every.has(hash) || needed.has(hash)) continue
      needed.add(hash)
      waiting.push(hash)
    }
  }
  for (const [table, column] of COLUMNS) {
    let rows = 0
    for await (const text of pages(connection, table, column)) {
      note(text)
      rows += 1
      if (rows % PAGE === 0) onProgress(`finding needed contents: ${rows} rows of ${table}`)
    }
  }
  for await (const parts of pages(connection, 'entries', 'parts')) {
    connection.work(readTexts(parts)).forEach(note)
  }
  for (let read = 1; waiting.length > 0; read += 1) {
    note(connection.work(readContent(waiting.pop()!)) ?? '')
    if (read % PAGE !== 0) continue
    onProgress(`finding needed contents: ${read} contents`)
    await connection.clock.yield()
  }
  return needed
}

const contentSize = statement<{ hash: string }, { size: number }>(
  `select length(text) + coalesce((select sum(length(part.text))
      from json_each(contents.parts) as stored join text_parts as part on part.number = stored.value ->> 1), 0) as size
    from contents where hash = :hash`,
)

const HASH = /(?<![0-9a-f])[0-9a-f]{64}(?![0-9a-f])/g

async function* pages(connection: StoreConnection, table: string, column: string): AsyncGenerator<string> {
  const page = statement<{ after: number }, { text: string; id: number }>(
    `select ${column} as text, rowid as id from ${table} where rowid > :after and ${column} is not null order by rowid limit ${PAGE}`,
  )
  for (let after = -1; ; await connection.clock.yield()) {
    const rows = connection.work(all(page, { after }))
    for (const { text } of rows) yield text
    if (rows.length < PAGE) return
    after = rows.at(-1)!.id
  }
}

async function removeOthers(
  connection: StoreConnection,
  needed: ReadonlySet<string>,
  onProgress: (text: string) => void,
): Promise<RemovedContents> {
  let contents = 0
  let characters = 0
  const unneeded: string[] = []
  const remove = function* (hashes: readonly string[]) {
    for (const hash of hashes) {
      characters += (yield* get(contentSize, { hash }))?.size ?? 0
      contents += yield* run(removeContent, { hash })
    }
  }
  for await (const hash of pages(connection, 'contents', 'hash')) if (!needed.has(hash)) unneeded.push(hash)
  while (unneeded.length > 0) {
    const batch = unneeded.splice(0, PAGE)
    connection.transaction(() => connection.work(overwriting(() => remove(batch))))
    onProgress(`removed ${contents} contents`)
    await connection.clock.yield()
  }
  return { contents, characters }
}
