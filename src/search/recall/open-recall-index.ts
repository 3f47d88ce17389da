import { openConnection } from '../sqlite/connection.ts'
import { findPassages } from './find-passages.ts'
import { loadLanguages } from './languages.ts'
import type { IndexedSession, RecallIndex } from './recall-index.ts'
import { removeSome } from './remove-session.ts'
import { makeTables } from './tables.ts'
import { writePart } from './write-part.ts'

export interface RecallIndexOptions {
  /** A file of its own, made with its folder when missing; `:memory:` keeps everything in memory. */
  readonly path: string
  /** Time zone of the dates in questions, such as `Europe/Berlin`. This machine's unless given. */
  readonly timeZone?: string
  /** How long to wait for another process that writes, ms. The process stands still meanwhile. 5,000 unless given. */
  readonly busyTimeoutMs?: number
  /** Passages of a shard from which on no session is added to it. 50,000 unless given. */
  readonly fullShard?: number
}

const DEFAULT_FULL_SHARD = 50_000

/**
 * An index of histories in a SQLite file. What it has written last may be lost with the power: it is behind the log then, and
 * catches up.
 *
 * @throws SearchError
 */
export async function openRecallIndex(options: RecallIndexOptions): Promise<RecallIndex> {
  const languages = await loadLanguages()
  const connection = openConnection({ ...options, durable: false })
  try {
    makeTables(connection)
  } catch (error) {
    connection.close()
    throw error
  }
  return {
    session: (id) => connection.get<IndexedSession>(`${indexed} where id = ?`, id),
    sessions: () => connection.all<IndexedSession>(`${indexed} order by number`),
    add: (part) => writePart(connection, part, { languages, fullShard: options.fullShard ?? DEFAULT_FULL_SHARD }),
    removeSome: (session) => removeSome(connection, session, languages),
    find: (query) => findPassages(connection, languages, query, options.timeZone),
    conversationOf(session) {
      const rows = connection.all<{ readonly id: string }>(
        `select other.id from sessions own join sessions other on other.conversation = own.conversation
         where own.id = ? and (other.created, other.id) < (own.created, own.id)
         order by other.created desc, other.id desc`,
        session,
      )
      return [session, ...rows.map(({ id }) => id)]
    },
    close: () => connection.close(),
  }
}

const indexed = 'select id, up_to as upTo, mark from sessions'
