import type { Connection } from './connection.ts'

/** What a question may see. */
export interface Visible {
  readonly collections: readonly string[]
  readonly documents: readonly string[] | undefined
}

/** The versions of documents that a question may see. */
export interface Sight {
  /** Ascending. */
  readonly numbers: readonly number[]
  /** The same, for `json_each`. */
  readonly json: string
  /** How many chunks they have. */
  readonly chunks: number
}

const MOST_REMEMBERED = 16

/** Looks up what can be seen, and remembers it until anything in the index changes: most questions come from a few places. */
export function sights(connection: Connection): (visible: Visible) => Sight {
  const remembered = new Map<string, Sight>()
  let state = ''
  return (visible) => {
    const now = stateOf(connection)
    if (now !== state) remembered.clear()
    state = now
    const key = JSON.stringify([visible.collections, visible.documents])
    const sight = remembered.get(key) ?? lookUp(connection, visible)
    if (remembered.size >= MOST_REMEMBERED) remembered.clear()
    remembered.set(key, sight)
    return sight
  }
}

function lookUp(connection: Connection, { collections, documents }: Visible): Sight {
  const rows = connection.all<{ readonly number: number; readonly chunks: number }>(
    `select number, chunks from documents where state = 'ready'
       and id in (select document from collections where collection in (select value from json_each(?1)))
       and (?2 is null or id in (select value from json_each(?2)))
     order by number`,
    jsonOf(collections),
    jsonOf(documents),
  )
  const numbers = rows.map((row) => row.number)
  return { numbers, json: JSON.stringify(numbers), chunks: rows.reduce((sum, row) => sum + row.chunks, 0) }
}

/** As a parameter that `json_each` takes apart. */
export function jsonOf(values: readonly string[] | undefined): string | null {
  return values === undefined ? null : JSON.stringify(values)
}

/** Another one after every change, by this process or by another. */
function stateOf(connection: Connection): string {
  const own = connection.get<{ readonly changes: number }>('select total_changes() as changes')
  const others = connection.get<{ readonly data_version: number }>('pragma data_version')
  return `${own?.changes} ${others?.data_version}`
}
