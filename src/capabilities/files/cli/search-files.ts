import { defined } from '../../../platform.ts'
import type { IndexProgress, SearchHit } from '../../../search.ts'
import {
  ask,
  connected,
  exactLine,
  findRecord,
  limitOf,
  note,
  print,
  printJson,
  projectKind,
  snippet,
  styled,
  width,
} from '../../../cli.ts'
import type { CommandCall, Connection, Io } from '../../../capability.ts'
import type { FileSearchAnswer } from '../file-service.ts'
import { compareWays, showWays } from './compare-ways.ts'
import { passagePlace } from './passage-place.ts'

/** Shows where words stand in files, best first, and how far the index is. */
export async function searchFiles(call: CommandCall, io: Io): Promise<number> {
  const text = call.words.join(' ')
  if (call.has('compare')) {
    const compared = await connected(call.home, io, 'read', (connection) =>
      compareWays((by) => found(connection, text, call, by)),
    )
    return showWays(compared, io, call.json)
  }
  const answer = await connected(call.home, io, 'read', (connection) => found(connection, text, call))
  const { hits, degraded, progress } = answer
  if (call.json) {
    printJson(io, answer)
    return 0
  }
  if (degraded !== undefined) note(io, degraded)
  for (const hit of hits) showHit(hit, text, call, io)
  if (hits.length === 0) note(io, 'Nothing was found.')
  note(io, styled(io, 'dim', progressText(progress), io.stderr))
  return 0
}

async function found(
  connection: Connection,
  text: string,
  call: CommandCall,
  by?: 'words' | 'meaning' | 'both',
): Promise<FileSearchAnswer> {
  const [project, limit] = [call.text('project'), limitOf(call)]
  const query = new URLSearchParams({
    q: text,
    ...(project === undefined ? {} : { project: (await findRecord(connection, projectKind, project)).id }),
    ...defined({ limit, by }),
  })
  return await ask<FileSearchAnswer>(connection, `/api/search?${query.toString()}`)
}

function showHit(hit: SearchHit, text: string, call: CommandCall, io: Io): void {
  const { title, document, chunk, score, ranks } = hit
  print(io, `${styled(io, 'bold', exactLine(title))}  ${passagePlace(chunk)}  ${styled(io, 'dim', document)}`)
  const marked = snippet(chunk.text, text, Math.max(60, 2 * width(io) - 20))
  print(io, `  ${marked.map(({ word, hit: isHit }) => (isHit ? styled(io, 'yellow', word) : word)).join('')}`)
  if (!call.has('explain')) return
  const ways = ranks.map(({ by, rank, value }) => `${by} rank ${rank} (${value.toPrecision(3)})`)
  print(io, styled(io, 'dim', `  score ${score.toFixed(4)}: ${ways.join(', ')}`))
}

function progressText({ documents, indexed, chunks, embedded }: IndexProgress): string {
  const meaning = embedded > 0 ? `, ${embedded} of ${chunks} passages by meaning` : ''
  return `index: ${indexed} of ${documents} files, ${chunks} passages${meaning}`
}
