import type { Clock, SqliteConnection } from '../../platform.ts'
import { ALWAYS_ONE_CHUNK, eachChunk } from '../chunks.ts'
import type { Chunk } from '../search-engine.ts'
import type { HistoryItem, IndexedSession, LogPart, PassageKind, RecallIndex, ReplacedMessage } from '../recall.ts'
import { openIndexFile } from '../sqlite/index-file.ts'
import { findPassages } from './find-passages.ts'
import { type Languages, loadLanguages } from './languages.ts'
import { makeShard, createRecallTables, wordsTable, MOST_PASSAGES, passageNumber, sessionRange } from './tables.ts'
import { detectLanguage, stemText } from './tokens.ts'

export interface RecallIndexOptions {
  readonly clock: Clock
  /** The file of the index, created with its folder if missing; `:memory:` keeps everything in memory. */
  readonly path: string
  /** Time zone of the dates in questions, such as `Europe/Berlin`. This machine's unless given. */
  readonly timeZone?: string
  /** How long to wait for another process that writes, ms; this process is blocked meanwhile. 5,000 unless given. */
  readonly busyTimeoutMs?: number
  /** Passages after which a shard gets no further session. 50,000 unless given. */
  readonly fullShard?: number
}

const DEFAULT_FULL_SHARD = 50_000

/**
 * Opens a history index in a SQLite file. A power failure may lose its last writes: it then catches up with the log.
 *
 * @throws SearchError
 */
export async function openRecallIndex(options: RecallIndexOptions): Promise<RecallIndex> {
  const languages = await loadLanguages(options.clock)
  const connection = openIndexFile({ ...options, durable: false })
  try {
    createRecallTables(connection)
  } catch (error) {
    connection.close()
    throw error
  }
  const place: IndexPlace = {
    languages,
    fullShard: options.fullShard ?? DEFAULT_FULL_SHARD,
    named: new Set(),
    unmerged: new Set(),
  }
  return {
    session: (id) => connection.get<IndexedSession>(`${indexed} where id = ?`, id),
    sessions: () => connection.all<IndexedSession>(`${indexed} order by number`),
    add(parts) {
      try {
        return connection.transaction(() => parts.filter((part) => !writePart(connection, part, place)))
      } catch (error) {
        // What it has named and made is undone.
        place.named.clear()
        place.newest = undefined
        throw error
      }
    },
    mergeSome() {
      const [shard] = place.unmerged
      if (shard === undefined) return false
      const words = wordsTable(shard)
      const changes = 'select total_changes() as "all"'
      const before = connection.get<{ readonly all: number }>(changes)!
      connection.run(`insert into ${words} (${words}, rank) values ('merge', ${MERGED_PAGES})`)
      // The command itself counts as one change: https://sqlite.org/fts5.html#the_merge_command
      if (connection.get<{ readonly all: number }>(changes)!.all - before.all < 2) place.unmerged.delete(shard)
      return place.unmerged.size > 0
    },
    removeSome: (session) => removeSome(connection, session, languages),
    find: (query) => findPassages(connection, languages, query, options.timeZone),
    conversationSessions(session) {
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

/** Characters of a text that are indexed: of a longer one, the beginning and the end. The log contains the rest. */
const LONGEST_TEXT = 64_000
const END = 16_000
/** The shard of a session without passages: the first passage decides. */
const NO_SHARD = 0

interface StoredSession {
  readonly number: number
  readonly up_to: number
  readonly next: number
  readonly shard: number
  readonly leaving: number
}

/** Where a part is written, with what is known of the index without reading it. */
interface IndexPlace {
  readonly languages: Languages
  readonly fullShard: number
  /** Languages that the index has. */
  readonly named: Set<string>
  /** Shards that were written and not merged since. */
  readonly unmerged: Set<number>
  /** The newest shard. What other processes add to it meanwhile does not count. */
  newest?: { readonly shard: number; passages: number } | undefined
}

/** Indexes a part of a log. Returns false if the session is not at the beginning of the part. */
function writePart(connection: SqliteConnection, part: LogPart, place: IndexPlace): boolean {
  const { languages } = place
  const { session, conversation = null, created, from, upTo, mark, replaced = [], items } = part
  const known = connection.get<StoredSession>(
    'select number, up_to, next, shard, leaving from sessions where id = ?',
    session,
  )
  if ((known?.up_to ?? 0) !== from || known?.leaving) return false
  const number = known?.number ?? newSession(connection, { session, conversation, created })
  const shard = known?.shard || (items.length === 0 ? NO_SHARD : openShard(connection, place))
  const first = known?.next ?? 0
  let next = first
  for (const message of next === 0 ? [] : replaced) removeMessage(connection, message, { number, shard, languages })
  for (const item of items) {
    if (next >= MOST_PASSAGES) break
    next = writeItem(connection, item, { ...place, number, shard, next })
  }
  if (next > first) place.unmerged.add(shard)
  if (place.newest?.shard === shard) place.newest.passages += next - first
  connection.run(
    'update sessions set up_to = ?, mark = ?, next = ?, shard = ? where number = ?',
    upTo,
    mark,
    next,
    shard,
    number,
  )
  return true
}

function newSession(
  connection: SqliteConnection,
  { session, conversation, created }: { session: string; conversation: string | null; created: string },
): number {
  return connection.get<{ readonly number: number }>(
    `insert into sessions (id, conversation, created, up_to, mark, next, shard) values (?, ?, ?, 0, '', 0, ${NO_SHARD})
     returning number`,
    session,
    conversation,
    created,
  )!.number
}

/** The newest shard, or a new one if that is full. Its passages are added up once: that reads all of its sessions. */
function openShard(connection: SqliteConnection, place: IndexPlace): number {
  place.newest ??= connection.get<{ readonly shard: number; readonly passages: number }>(
    `select max(shard) as shard, sum(next) as passages from sessions
      where shard = (select max(shard) from sessions where shard > ${NO_SHARD}) having shard is not null`,
  )
  if (!place.newest || place.newest.passages >= place.fullShard) {
    place.newest = { shard: (place.newest?.shard ?? NO_SHARD) + 1, passages: 0 }
    makeShard(connection, place.newest.shard)
  }
  return place.newest.shard
}

function writeItem(
  connection: SqliteConnection,
  item: HistoryItem,
  {
    number,
    shard,
    next: first,
    languages,
    named,
  }: { number: number; shard: number; next: number } & Pick<IndexPlace, 'languages' | 'named'>,
): number {
  const length = (item.heading ?? '').length + item.text.length
  const texts = indexedTexts(item)
  const language = detectLanguage(texts[0]!, languages)
  if (!named.has(language.name)) {
    connection.run('insert into languages (name) values (?) on conflict do nothing', language.name)
    named.add(language.name)
  }
  let next = first
  for (const chunk of indexedChunks(texts, length)) {
    if (next >= MOST_PASSAGES) break
    const passage = passageNumber(number, next)
    next += 1
    connection.run(
      `insert into passages (number, turn, ordinal, seq, time, kind, role, start, length, text, language, call)
       values (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
      passage,
      item.turn,
      item.ordinal,
      item.seq,
      item.time,
      item.kind,
      item.role,
      chunk.start,
      length,
      chunk.text,
      language.name,
      item.call === undefined ? null : JSON.stringify(item.call),
    )
    connection.run(
      `insert into ${wordsTable(shard)} (rowid, stems) values (?, ?)`,
      passage,
      stemText(chunk.text, item.kind, language),
    )
  }
  return next
}

/** What is indexed of an item: its beginning, and its end where it is longer. No copy of a long text is made. */
function indexedTexts({ heading = '', text }: HistoryItem): readonly string[] {
  const whole = text.length > LONGEST_TEXT ? undefined : heading + text
  if (whole !== undefined && whole.length <= LONGEST_TEXT) return [whole.toWellFormed()]
  const beginning = (whole ?? heading + text.slice(0, LONGEST_TEXT)).slice(0, LONGEST_TEXT - END)
  return [beginning, (whole ?? text).slice(-END)].map((each) => each.toWellFormed())
}

function* indexedChunks([beginning, end]: readonly string[], length: number): Generator<Pick<Chunk, 'text' | 'start'>> {
  // Most messages are short: nothing of their layout has to be read.
  if (beginning!.length < ALWAYS_ONE_CHUNK) {
    const text = beginning!.trim()
    if (text !== '') yield { text, start: beginning!.indexOf(text) }
    return
  }
  yield* eachChunk(beginning!)
  if (end === undefined) return
  for (const chunk of eachChunk(end)) yield { ...chunk, start: length - END + chunk.start }
}

/** Pages that are written while shards are merged in one transaction: about 10 ms. */
const MERGED_PAGES = 64

/** Passages that are removed in one transaction: about 10 ms. */
const STEP = 64

/** Removes the next passages of a session. From the first step on it cannot be found. Returns whether more is left. */
function removeSome(connection: SqliteConnection, session: string, languages: Languages): boolean {
  connection.execute('pragma secure_delete = on')
  try {
    const isMore = connection.transaction(() => removeStep(connection, session, languages))
    // The write-ahead log contains earlier writes too, until it is truncated.
    if (!isMore) connection.execute('pragma wal_checkpoint(truncate)')
    return isMore
  } finally {
    connection.execute('pragma secure_delete = off')
  }
}

function removeStep(connection: SqliteConnection, session: string, languages: Languages): boolean {
  const known = connection.get<{ readonly number: number; readonly shard: number }>(
    'select number, shard from sessions where id = ?',
    session,
  )
  if (!known) return false
  const { first, last } = sessionRange(known.number)
  const rows = connection.all<StoredPassage>(
    'select number, kind, text, language from passages where number between ? and ? order by number limit ?',
    first,
    last,
    STEP,
  )
  for (const row of rows) removePassage(connection, row, { shard: known.shard, languages })
  if (rows.length === STEP) connection.run("update sessions set leaving = 1, mark = '' where number = ?", known.number)
  else connection.run('delete from sessions where number = ?', known.number)
  return rows.length === STEP
}

/** Removes what a waiting message was. It is among the newest passages: only few messages wait behind it. */
function removeMessage(
  connection: SqliteConnection,
  { turn, firstSeq }: ReplacedMessage,
  { number, shard, languages }: { number: number; shard: number; languages: Languages },
): void {
  const { first, last } = sessionRange(number)
  const rows: StoredPassage[] = []
  for (const row of connection.each<StoredPassage & { readonly turn: string; readonly seq: number }>(
    `select number, turn, seq, kind, text, language from passages where number between ? and ? order by number desc`,
    first,
    last,
  )) {
    if (row.seq < firstSeq) break
    if (row.turn === turn) rows.push(row)
  }
  for (const row of rows) removePassage(connection, row, { shard, languages })
}

function removePassage(
  connection: SqliteConnection,
  { number, kind, text, language }: StoredPassage,
  { shard, languages }: { readonly shard: number; readonly languages: Languages },
): void {
  const words = wordsTable(shard)
  const stems = stemText(text, kind, languages.named(language)!)
  connection.run(`insert into ${words} (${words}, rowid, stems) values ('delete', ?, ?)`, number, stems)
  connection.run('delete from passages where number = ?', number)
}

interface StoredPassage {
  readonly number: number
  readonly kind: PassageKind
  readonly text: string
  readonly language: string
}
