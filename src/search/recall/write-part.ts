import { eachChunk } from '../chunks-of.ts'
import type { Chunk } from '../engine.ts'
import type { Connection } from '../sqlite/connection.ts'
import type { Languages } from './languages.ts'
import { MOST_PASSAGES, passageNumber } from './numbering.ts'
import type { HistoryItem, LogPart } from './recall-index.ts'
import { languageOf, stemsOf } from './stems.ts'

/** Of a longer text, its beginning and its end are indexed, characters. The rest is in the log, and is read there. */
const LONGEST_TEXT = 64_000
const END = 16_000

interface SessionState {
  readonly number: number
  readonly up_to: number
  readonly next: number
  readonly leaving: number
}

/** Indexes a part of a log. Answers false where the session is not where the part begins. */
export function writePart(connection: Connection, part: LogPart, languages: Languages): boolean {
  return connection.transaction(() => {
    const { session, conversation = null, created, from, upTo, mark, items } = part
    const known = connection.get<SessionState>(
      'select number, up_to, next, leaving from sessions where id = ?',
      session,
    )
    if ((known?.up_to ?? 0) !== from || known?.leaving) return false
    const number = known?.number ?? newSession(connection, { session, conversation, created })
    let next = known?.next ?? 0
    for (const item of items) {
      if (next >= MOST_PASSAGES) break
      next = writeItem(connection, item, { number, next, languages })
    }
    connection.run('update sessions set up_to = ?, mark = ?, next = ? where number = ?', upTo, mark, next, number)
    return true
  })
}

function newSession(
  connection: Connection,
  { session, conversation, created }: { session: string; conversation: string | null; created: string },
): number {
  return connection.get<{ readonly number: number }>(
    `insert into sessions (id, conversation, created, up_to, mark, next) values (?, ?, ?, 0, '', 0) returning number`,
    session,
    conversation,
    created,
  )!.number
}

function writeItem(
  connection: Connection,
  item: HistoryItem,
  { number, next: first, languages }: { number: number; next: number; languages: Languages },
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
    connection.run('insert into words (rowid, stems) values (?, ?)', passage, stemsOf(chunk.text, item.kind, language))
  }
  return next
}

function* indexedChunks(text: string): Generator<Pick<Chunk, 'text' | 'start'>> {
  if (text.length <= LONGEST_TEXT) return yield* eachChunk(text)
  yield* eachChunk(text.slice(0, LONGEST_TEXT - END))
  const from = text.length - END
  for (const chunk of eachChunk(text.slice(from).toWellFormed())) yield { ...chunk, start: from + chunk.start }
}
