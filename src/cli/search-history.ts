import { exactLine } from '../context.ts'
import type { CommandCall, GatewayConnection, Io } from '../capability.ts'
import { defined } from '../platform.ts'
import type { RankedPassage, RecallAnswer } from '../search.ts'
import { requestJson } from './answer.ts'
import { withConnection } from './connection.ts'
import { usageFailure } from './failure.ts'
import { findSession } from './find-session.ts'
import { note, print, printJson, applyStyle, width } from './io.ts'
import { singleLine } from './table.ts'
import { timeText } from './time-text.ts'

/** Shows what was said and done in sessions, best first, and how to read on. */
export async function searchHistory(call: CommandCall, io: Io): Promise<number> {
  const text = call.words.join(' ')
  const answer = await withConnection(call.home, io, 'read', (connection) => askHistory(connection, text, call))
  if (call.json) {
    printJson(io, answer)
    return 0
  }
  for (const passage of answer.passages) showPassage(passage, text, io)
  for (const line of remarks(answer)) note(io, applyStyle(io, 'dim', line, io.stderr))
  return 0
}

async function askHistory(connection: GatewayConnection, text: string, call: CommandCall): Promise<RecallAnswer> {
  const [session, limit] = [call.text('session'), parseLimit(call)]
  const query = new URLSearchParams({
    q: text,
    ...(session === undefined ? {} : { session: await findSession(connection, session) }),
    ...defined({ limit }),
  })
  return await requestJson<RecallAnswer>(connection, `/api/search/history?${query.toString()}`)
}

function showPassage(passage: RankedPassage, text: string, io: Io): void {
  const { session, ordinal, role, time, call, before, after, undone } = passage
  const said = call ? `tool ${exactLine(call.name)}${call.ok === false ? ' (failed)' : ''}` : role
  print(
    io,
    `${applyStyle(io, 'bold', `turn ${ordinal}`)}  ${undone === true ? '(taken back)  ' : ''}${said}  ${timeText(time, new Date())}  ${applyStyle(io, 'dim', session)}`,
  )
  const around = Math.max(40, width(io) - 20)
  if (before) print(io, applyStyle(io, 'dim', `  ${before.role}: ${singleLine(exactLine(before.text), around)}`))
  const marked = snippet(passage.text, [text, ...passage.matched].join(' '), Math.max(60, 2 * width(io) - 20))
  print(io, `  ${marked.map(({ word, hit }) => (hit ? applyStyle(io, 'yellow', word) : word)).join('')}`)
  if (after) print(io, applyStyle(io, 'dim', `  ${after.role}: ${singleLine(exactLine(after.text), around)}`))
}

function remarks({ passages, found, missing, nearest, complete }: RecallAnswer): readonly string[] {
  const first = passages[0]
  return [
    ...(found === 'nothing' ? ['Nothing was found.'] : []),
    ...(missing.length > 0 ? [`found nowhere: ${missing.map(exactLine).join(', ')}`] : []),
    ...(nearest.length > 0 ? [`looked for instead: ${nearest.map(exactLine).join(', ')}`] : []),
    ...(complete
      ? []
      : ['Older sessions are still being indexed: there may be more. `foreword start` continues the indexing.']),
    ...(first ? [`Read on: foreword sessions show ${first.session}`] : []),
  ]
}

/** What `--limit` says, from 1 to 100. */
export function parseLimit(call: CommandCall): string | undefined {
  const limit = call.text('limit')
  if (limit === undefined || /^([1-9]\d?|100)$/.test(limit)) return limit
  throw usageFailure(`--limit cannot be ${limit}.`, 'Write a number from 1 to 100.')
}

/** A piece of a passage in one line; `hit` where it is one of the words that were looked for. */
interface SnippetPiece {
  readonly word: string
  readonly hit: boolean
}

/** The part of a passage around the first word that was looked for, of at most `limit` characters, in one line. */
export function snippet(passage: string, query: string, limit: number): readonly SnippetPiece[] {
  const wanted = new Set(wordsOf(query).map(({ word }) => folded(word)))
  const text = passage.replaceAll(/\s+/g, ' ').trim()
  const hits = wordsOf(text).filter(({ word }) => wanted.has(folded(word)))
  const first = hits[0]?.at ?? 0
  const start = first < limit / 2 ? 0 : text.indexOf(' ', first - Math.floor(limit / 3)) + 1
  const end = Math.min(text.length, start + limit)
  const pieces: SnippetPiece[] = [{ word: start > 0 ? '… ' : '', hit: false }]
  let at = start
  for (const { at: from, word } of hits) {
    if (from < at || from + word.length > end) continue
    pieces.push({ word: exactLine(text.slice(at, from)), hit: false }, { word: exactLine(word), hit: true })
    at = from + word.length
  }
  pieces.push({ word: exactLine(text.slice(at, end)) + (end < text.length ? ' …' : ''), hit: false })
  return pieces.filter(({ word }) => word !== '')
}

const words = new Intl.Segmenter(undefined, { granularity: 'word' })

function wordsOf(text: string): readonly { readonly word: string; readonly at: number }[] {
  return [...words.segment(text)]
    .filter(({ isWordLike }) => isWordLike)
    .map(({ segment, index }) => ({ word: segment, at: index }))
}

function folded(word: string): string {
  return word.normalize('NFKC').toLowerCase()
}
