import type { SearchHit } from '../../../search.ts'
import { CommandFailure, print, printJson, applyStyle } from '../../../cli.ts'
import { exactLine } from '../../../context.ts'
import type { Io } from '../../../capability.ts'
import type { FileSearchAnswer } from '../file-service.ts'

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

export function printComparison(compared: WaysCompared, io: Io, json: boolean): number {
  if (json) {
    printJson(io, compared)
    return 0
  }
  for (const [title, way] of [
    ['By words', 'words'],
    ['By meaning', 'meaning'],
    ['Both together', 'both'],
  ] as const) {
    print(io, applyStyle(io, 'bold', title))
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

/** The position of a passage: its page or line, and the headings above it. */
export function passagePosition({ page, line, headings }: SearchHit['chunk']): string {
  const place = page === undefined ? `line ${line}` : `page ${page}`
  return [place, ...(headings.length === 0 ? [] : [headings.map(exactLine).join(' › ')])].join(', ')
}
