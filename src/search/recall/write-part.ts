import { eachChunk } from '../chunks-of.ts'
import type { Chunk } from '../engine.ts'
import type { Connection } from '../sqlite/connection.ts'
import type { Languages } from './languages.ts'
import { MOST_PASSAGES, passageNumber } from './numbering.ts'
import type { HistoryItem, LogPart } from './recall-index.ts'
import { languageOf, stemsOf } from './stems.ts'
import { makeShard, wordsTable } from './tables.ts'

/** Of a longer text, its beginning and its end are indexed, characters. The rest is in the log, and is read there. */
const LONGEST_TEXT = 64_000
const END = 16_000
/** Of a session without passages: where it goes is decided with the first. */
const NO_SHARD = 0

interface StoredSession {
  readonly number: number
  readonly up_to: number
  readonly next: number
  readonly shard: number
  readonly leaving: number
}

/** Indexes a part of a log. Answers false where the session is not where the part begins. */
export function writePart(
  connection: Connection,
  part: LogPart,
  { languages, fullShard }: { readonly languages: Languages; readonly fullShard: number },
): boolean {
  return connection.transaction(() => {
    const { session, conversation = null, created, from, upTo, mark, items } = part
    const known = connection.get<StoredSession>(
      'select number, up_to, next, shard, leaving from sessions where id = ?',
      session,
    )
    if ((known?.up_to ?? 0) !== from || known?.leaving) return false
    const number = known?.number ?? newSession(connection, { session, conversation, created })
    const shard = known?.shard || (items.length === 0 ? NO_SHARD : openShard(connection, fullShard))
    let next = known?.next ?? 0
    for (const item of items) {
      if (next >= MOST_PASSAGES) break
      next = writeItem(connection, item, { number, shard, next, languages })
    }
    connection.run(
      'update sessions set up_to = ?, mark = ?, next = ?, shard = ? where number = ?',
      upTo,
      mark,
      next,
      shard,
      number,
    )
    return true
  })
}

function newSession(
  connection: Connection,
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

/** The newest shard, or a new one where that is full. */
function openShard(connection: Connection, full: number): number {
  const { shard, passages } = connection.get<{ readonly shard: number | null; readonly passages: number | null }>(
    'select max(shard) as shard, sum(next) as passages from sessions where shard = (select max(shard) from sessions)',
  )!
  const open = (shard ?? NO_SHARD) === NO_SHARD ? 1 : passages! < full ? shard! : shard! + 1
  makeShard(connection, open)
  return open
}

function writeItem(
  connection: Connection,
  item: HistoryItem,
  { number, shard, next: first, languages }: { number: number; shard: number; next: number; languages: Languages },
): number {
  const text = item.text.toWellFormed()
  const language = languageOf(text, languages)
  connection.run('insert into languages (name) values (?) on conflict do nothing', language.name)
  let next = first
  for (const chunk of indexedChunks(text)) {
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
      text.length,
      chunk.text,
      language.name,
      item.call === undefined ? null : JSON.stringify(item.call),
    )
    connection.run(
      `insert into ${wordsTable(shard)} (rowid, stems) values (?, ?)`,
      passage,
      stemsOf(chunk.text, item.kind, language),
    )
  }
  return next
}

function* indexedChunks(text: string): Generator<Pick<Chunk, 'text' | 'start'>> {
  if (text.length <= LONGEST_TEXT) return yield* eachChunk(text)
  yield* eachChunk(text.slice(0, LONGEST_TEXT - END))
  const from = text.length - END
  for (const chunk of eachChunk(text.slice(from).toWellFormed())) yield { ...chunk, start: from + chunk.start }
}
