import type { Command, CommandCall, GatewayConnection, Io } from '../../../capability.ts'
import {
  requestJson,
  withConnection,
  findRecord,
  jsonOption,
  parseLimit,
  note,
  print,
  printJson,
  searchHistory,
  snippet,
  applyStyle,
  usageFailure,
  width,
  CommandFailure,
} from '../../../cli.ts'
import { exactLine } from '../../../context.ts'
import { defined } from '../../../platform.ts'
import type { IndexProgress, SearchHit } from '../../../search.ts'
import type { FileSearchAnswer } from '../file-service.ts'

export const searchCommand: Command = {
  name: 'search',
  group: 'look',
  summary: 'find passages of files, or of the history of sessions',
  usage: [
    'search TEXT [--project ID] [--limit N] [--explain | --compare] [--json]',
    'search --history TEXT [--session ID] [--limit N] [--json]',
  ],
  details:
    'Searches files by words, and also by meaning if an embedding model is configured. TEXT is words to look for, never ' +
    'syntax. Each hit shows its position; the last line shows the progress of the index. ' +
    'With --history, searches messages of sessions, tool calls and their results by words. Words in double quotes match ' +
    'exactly.',
  words: { least: 1, most: Infinity },
  options: {
    history: { summary: 'search sessions instead of files' },
    session: { value: 'ID', summary: 'with --history: only this session (its id, a beginning of it, or `last`)' },
    project: { value: 'ID', summary: 'only files of this project (its id or name)' },
    limit: { value: 'N', summary: 'the most hits; 10 by default' },
    explain: { summary: 'show how each hit was found' },
    compare: { summary: 'show the hits by words and by meaning side by side, and their overlap' },
    json: {
      ...jsonOption,
      summary:
        'print {hits, progress} or {words, meaning, both, agreement}; with --history {passages, found, missing, nearest, complete}',
    },
  },
  run: (call, io) => (isHistory(call) ? searchHistory(call, io) : searchFiles(call, io)),
}

function isHistory(call: CommandCall): boolean {
  const history = call.has('history')
  const others = history ? (['project', 'explain', 'compare'] as const) : (['session'] as const)
  const wrong = others.find((name) => call.has(name) || call.text(name) !== undefined)
  if (wrong === undefined) return history
  throw usageFailure(
    history ? `--${wrong} cannot be used with --history, which searches sessions.` : '--session requires --history.',
    history ? 'Leave one of them out.' : 'Write `foreword search --history TEXT --session ID`.',
  )
}

async function searchFiles(call: CommandCall, io: Io): Promise<number> {
  const text = call.words.join(' ')
  if (call.has('compare')) {
    const compared = await withConnection(call.home, io, 'read', (connection) =>
      compareWays((by) => found(connection, text, call, by)),
    )
    return printComparison(compared, io, call.json)
  }
  const answer = await withConnection(call.home, io, 'read', (connection) => found(connection, text, call))
  const { hits, degraded, progress } = answer
  if (call.json) return printJson(io, answer)
  if (degraded !== undefined) note(io, degraded)
  for (const hit of hits) showHit(hit, text, call, io)
  if (hits.length === 0) note(io, 'No matches.')
  note(io, progressText(progress), 'dim')
  return 0
}

async function found(
  connection: GatewayConnection,
  text: string,
  call: CommandCall,
  by?: 'words' | 'meaning' | 'both',
): Promise<FileSearchAnswer> {
  const [project, limit] = [call.text('project'), parseLimit(call)]
  const query = new URLSearchParams({
    q: text,
    ...(project === undefined ? {} : { project: (await findRecord(connection, 'project', project)).id }),
    ...defined({ limit, by }),
  })
  return await requestJson<FileSearchAnswer>(connection, `/api/search?${query.toString()}`)
}

function showHit(hit: SearchHit, text: string, call: CommandCall, io: Io): void {
  const { title, document, chunk, score, ranks } = hit
  print(
    io,
    `${applyStyle(io, 'bold', exactLine(title))}  ${passagePosition(chunk)}  ${applyStyle(io, 'dim', document)}`,
  )
  const marked = snippet(chunk.text, text, Math.max(60, 2 * width(io) - 20))
  print(io, `  ${marked.map(({ word, hit: isHit }) => (isHit ? applyStyle(io, 'yellow', word) : word)).join('')}`)
  if (!call.has('explain')) return
  const ways = ranks.map(({ by, rank, value }) => `${by} rank ${rank} (${value.toPrecision(3)})`)
  print(io, `  score ${score.toFixed(4)}: ${ways.join(', ')}`, 'dim')
}

function progressText({ documents, indexed, chunks, embedded }: IndexProgress): string {
  const meaning = embedded > 0 ? `, ${embedded} of ${chunks} passages by meaning` : ''
  return `index: ${indexed} of ${documents} files, ${chunks} passages${meaning}`
}

interface WaysCompared {
  readonly words: FileSearchAnswer
  readonly meaning: FileSearchAnswer
  readonly both: FileSearchAnswer
  /** The number of passages in both lists, and in either. */
  readonly agreement: { readonly shared: number; readonly of: number }
}

/** Searches by words, by meaning, and by both. Rejects with `no-vectors` where no passage has a vector. */
export async function compareWays(
  ask: (by: 'words' | 'meaning' | 'both') => Promise<FileSearchAnswer>,
): Promise<WaysCompared> {
  const both = await ask('both')
  if (both.degraded !== undefined) {
    throw new CommandFailure('no-vectors', `There is nothing to compare. ${both.degraded}`, {
      hint: 'Check the embedding model with `foreword doctor`.',
    })
  }
  if (both.progress.chunks > 0 && both.progress.embedded === 0) {
    throw new CommandFailure(
      'no-vectors',
      'There is nothing to compare: no passage has a vector of an embedding model.',
      {
        hint: 'Set `search.embedding` (`foreword docs configuration`) and let the gateway run until its files are embedded.',
      },
    )
  }
  const [words, meaning] = [await ask('words'), await ask('meaning')]
  const keys = words.hits.map(hitKey)
  const shared = meaning.hits.filter((hit) => keys.includes(hitKey(hit))).length
  return { words, meaning, both, agreement: { shared, of: words.hits.length + meaning.hits.length - shared } }
}

function printComparison(compared: WaysCompared, io: Io, json: boolean): number {
  if (json) return printJson(io, compared)
  for (const [title, way] of [
    ['By words', 'words'],
    ['By meaning', 'meaning'],
    ['Both together', 'both'],
  ] as const) {
    print(io, title, 'bold')
    const { hits } = compared[way]
    if (hits.length === 0) print(io, '  nothing')
    hits.forEach((hit, index) => print(io, hitLine(hit, index, way === 'both' ? undefined : compared)))
  }
  const { shared, of } = compared.agreement
  print(io, `${shared} of ${of} passages are in both lists.${disagreementText(compared)}`)
  return 0
}

function disagreementText({ words, meaning, agreement }: WaysCompared): string {
  if (agreement.shared > 0 || agreement.of === 0) return ''
  if (meaning.hits.length === 0) return ' By meaning no passage is nearer to the question than chance.'
  if (words.hits.length === 0) return ' No passage has a word of the question.'
  return ' The model and the words disagree: judge which list answers the question.'
}

function hitLine(hit: SearchHit, index: number, compared: WaysCompared | undefined): string {
  const other = compared && (hit.ranks[0]?.by === 'words' ? compared.meaning : compared.words)
  const at = other ? other.hits.findIndex((each) => hitKey(each) === hitKey(hit)) : -1
  const also = at === -1 ? '' : `  (also ${at + 1} by ${hit.ranks[0]?.by === 'words' ? 'meaning' : 'words'})`
  return `${String(index + 1).padStart(4)}  ${exactLine(hit.title)}, ${passagePosition(hit.chunk)}${also}`
}

const hitKey = ({ document, chunk }: SearchHit) => `${document} ${chunk.id}`

function passagePosition({ page, line, headings }: SearchHit['chunk']): string {
  const place = page === undefined ? `line ${line}` : `page ${page}`
  return [place, ...(headings.length === 0 ? [] : [headings.map(exactLine).join(' › ')])].join(', ')
}
