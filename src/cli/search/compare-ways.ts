import type { FileSearchAnswer } from '../../runtime.ts'
import type { SearchHit } from '../../search.ts'
import { exactLine } from '../exact-text.ts'
import { CommandFailure } from '../failure.ts'
import { type Io, note, print, printJson } from '../io.ts'
import { styled } from '../style.ts'
import { passagePlace } from './passage-place.ts'

/** The same question asked in each way, and how many passages the two lists share. */
export interface WaysCompared {
  readonly words: FileSearchAnswer
  readonly meaning: FileSearchAnswer
  readonly both: FileSearchAnswer
  /** Passages that stand in both lists, and in either. */
  readonly agreement: { readonly shared: number; readonly of: number }
}

/** Asks a question by words, by meaning, and in both ways. */
export async function compareWays(
  ask: (by: 'words' | 'meaning' | 'both') => Promise<FileSearchAnswer>,
): Promise<WaysCompared> {
  const both = await ask('both')
  if (both.progress.chunks > 0 && both.progress.embedded === 0) {
    throw new CommandFailure(
      'no-vectors',
      'There is nothing to compare: no passage has a vector of an embedding model.',
      {
        mend: 'Set `search.embedding` (docs/guide/configuration.md) and let the gateway run until its files are embedded.',
      },
    )
  }
  const [words, meaning] = [await ask('words'), await ask('meaning')]
  const keys = words.hits.map(keyOf)
  const shared = meaning.hits.filter((hit) => keys.includes(keyOf(hit))).length
  return { words, meaning, both, agreement: { shared, of: words.hits.length + meaning.hits.length - shared } }
}

/** Each way with its list, then what they share. */
export function showWays(compared: WaysCompared, io: Io, json: boolean): number {
  if (json) {
    printJson(io, compared)
    return 0
  }
  for (const [title, way] of [
    ['By words', 'words'],
    ['By meaning', 'meaning'],
    ['Both together', 'both'],
  ] as const) {
    print(io, styled(io, 'bold', title))
    const { hits, degraded } = compared[way]
    if (degraded !== undefined) note(io, degraded)
    if (hits.length === 0) print(io, '  nothing')
    hits.forEach((hit, index) => print(io, lineOf(hit, index, way === 'both' ? undefined : compared)))
  }
  const { shared, of } = compared.agreement
  const advice =
    shared === 0 && of > 0 ? ' The model and the words disagree: judge which list answers the question.' : ''
  print(io, `${shared} of ${of} passages are in both lists.${advice}`)
  return 0
}

function lineOf(hit: SearchHit, index: number, compared: WaysCompared | undefined): string {
  const other = compared && (hit.ranks[0]?.by === 'words' ? compared.meaning : compared.words)
  const at = other ? other.hits.findIndex((each) => keyOf(each) === keyOf(hit)) : -1
  const also = at === -1 ? '' : `  (also ${at + 1} by ${hit.ranks[0]?.by === 'words' ? 'meaning' : 'words'})`
  return `${String(index + 1).padStart(4)}  ${exactLine(hit.title)}, ${passagePlace(hit.chunk)}${also}`
}

const keyOf = ({ document, chunk }: SearchHit) => `${document} ${chunk.id}`
