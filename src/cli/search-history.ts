import { answerCommand } from './gateway-commands.ts'
import { exactLine } from '../context.ts'
import type { CommandCall, Io } from '../capability.ts'
import { defined } from '../platform.ts'
import type { RankedPassage, RecallAnswer } from '../search.ts'
import { requestJson } from './answer.ts'
import { usageFailure } from './failure.ts'
import { findSession } from './find-session.ts'
import { note, print, applyStyle, width } from './io.ts'
import { singleLine } from './table.ts'
import { timeText } from './time-text.ts'

/** `foreword search --history`: prints matching messages and tool calls of sessions, best first. */
export const searchHistory = answerCommand(async (connection, call) => {
  const [session, limit] = [call.text('session'), parseLimit(call)]
  const query = new URLSearchParams({
    q: call.words.join(' '),
    ...(session === undefined ? {} : { session: await findSession(connection, session) }),
    ...defined({ limit }),
  })
  return await requestJson<RecallAnswer>(connection, `/api/search/history?${query.toString()}`)
}, printHistory)

function printHistory(answer: RecallAnswer, io: Io): void {
  for (const passage of answer.passages) printPassage(passage, io)
  for (const line of remarks(answer)) note(io, line, 'dim')
}

function printPassage(passage: RankedPassage, io: Io): void {
  const { session, ordinal, role, time, call, before, after, undone } = passage
  const said = call ? `tool ${exactLine(call.name)}${call.ok === false ? ' (failed)' : ''}` : role
  print(
    io,
    `${applyStyle(io, 'bold', `turn ${ordinal}`)}  ${undone === true ? '(undone)  ' : ''}${said}  ${timeText(time, new Date())}  ${applyStyle(io, 'dim', session)}`,
  )
  const around = Math.max(40, width(io) - 20)
  if (before) print(io, `  ${before.role}: ${singleLine(exactLine(before.text), around)}`, 'dim')
  const marked = snippet(passage.text, passage.hits.join(' '), Math.max(60, 2 * width(io) - 20))
  print(io, `  ${marked.map(({ word, hit }) => (hit ? applyStyle(io, 'yellow', word) : word)).join('')}`)
  if (after) print(io, `  ${after.role}: ${singleLine(exactLine(after.text), around)}`, 'dim')
}

function remarks({ passages, found, missing, nearest, complete }: RecallAnswer): readonly string[] {
  const first = passages[0]
  return [
    ...(found === 'nothing' ? ['No matches.'] : []),
    ...(found !== 'nothing' && missing.length > 0 ? [`No match for ${missing.map(exactLine).join(', ')}.`] : []),
    ...(nearest.length > 0 ? [`Searched for ${nearest.map(exactLine).join(', ')} instead.`] : []),
    ...(complete
      ? []
      : ['Older sessions are not indexed yet, so there may be more. A running gateway continues with them.']),
    ...(first ? [`Read on from the best hit with \`foreword sessions show ${first.session} ${first.ordinal}\`.`] : []),
  ]
}

/** The value of `--limit`, from 1 to 100. Throws a usage failure for any other. */
export function parseLimit(call: CommandCall): string | undefined {
  const limit = call.text('limit')
  if (limit === undefined || /^([1-9]\d?|100)$/.test(limit)) return limit
  throw usageFailure(`--limit must be a whole number from 1 to 100, not "${limit}".`)
}

/** A piece of a passage on one line. `hit` where it is a word of the query. */
interface SnippetPiece {
  readonly word: string
  readonly hit: boolean
}

/** The part of a passage around the first word of the query, at most `limit` characters on one line. */
export function snippet(passage: string, query: string, limit: number): readonly SnippetPiece[] {
  const wanted = new Set(wordsOf(query).map(({ word }) => normalized(word)))
  const text = passage.replaceAll(/\s+/g, ' ').trim()
  const hits = wordsOf(text).filter(({ word }) => wanted.has(normalized(word)))
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

function wordsOf(text: string): readonly { readonly word: string; readonly at: number }[] {
  return [...new Intl.Segmenter(undefined, { granularity: 'word' }).segment(text)]
    .filter(({ isWordLike }) => isWordLike)
    .map(({ segment, index }) => ({ word: segment, at: index }))
}

function normalized(word: string): string {
  return word.normalize('NFKC').toLowerCase()
}
