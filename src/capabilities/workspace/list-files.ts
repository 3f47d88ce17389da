import type { Tool } from '../../tool.ts'
import type { PathInFolder } from '../../capability.ts'
import { confinedPath, pathInput } from '../../capability/toolkit.ts'
import { DEEPEST, type WalkEntry, walkFolder, globMatcher } from './folder-walk.ts'
import { placeName, printableName, readTextFile, type WorkspaceOptions } from './text-file.ts'

const MOST_LINES = 400

/** The most entries that are read to count the rest. */
const MOST_ENTRIES = 50_000

interface ListInput {
  readonly path?: string
  readonly glob?: string
  readonly depth?: number
}

export function listFilesTool({ folder, outOfReach }: WorkspaceOptions): Tool {
  return {
    name: 'list_files',
    description:
      'List files with sizes in bytes; folders end in /. Two levels deep unless glob (such as **/*.md) or depth is given.',
    inputSchema: {
      type: 'object',
      properties: { path: pathInput, glob: { type: 'string' }, depth: { type: 'integer', minimum: 1 } },
      additionalProperties: false,
    },
    origin: 'file',
    afterUntrusted: 'allow',
    readsFrom: ({ path = '.' }) => [`names in ${placeName(path)}`],
    idempotent: true,
    async execute(input, { signal }) {
      const { path = '.', ...given } = input as ListInput
      const glob = given.glob || undefined
      const depth = given.depth ?? (glob === undefined ? 2 : DEEPEST)
      const place = await confinedPath(folder, path, outOfReach)
      if (place.type === 'refused') return { ok: false, error: place.why }
      const fault = await folderFault(place)
      if (fault !== undefined) return { ok: false, error: fault }
      return { ok: true, output: await listEntries(place, glob, Math.min(depth, DEEPEST), signal) }
    },
  }
}

async function folderFault(place: PathInFolder): Promise<string | undefined> {
  const shown = printableName(place.names.join('/'))
  const found = await readTextFile(place)
  // A workspace that was never made is an empty one.
  if (found.type === 'folder') return undefined
  return found.type === 'missing' ? `${shown} does not exist` : `${shown} is not a folder`
}

async function listEntries(
  place: PathInFolder,
  glob: string | undefined,
  depth: number,
  signal: AbortSignal,
): Promise<string> {
  const isWanted = glob === undefined ? () => true : globMatcher(glob)
  const skipped = new Set<string>()
  const lines: string[] = []
  let [seen, left] = [0, 0]
  for await (const entry of walkFolder(place, { depth, signal, onSkipped: (name) => skipped.add(name) })) {
    seen += 1
    if (seen > MOST_ENTRIES) break
    if (!isWanted(entry.names.slice(place.names.length).join('/'))) continue
    if (lines.length < MOST_LINES) lines.push(entryLine(entry))
    else left += 1
  }
  if (lines.length === 0) lines.push(glob === undefined ? '(no files)' : '(no file fits)')
  if (left > 0 || seen > MOST_ENTRIES) {
    lines.push(`[${seen > MOST_ENTRIES ? 'at least ' : ''}${left} more: give a path, a glob or a smaller depth]`)
  }
  if (skipped.size > 0) lines.push(`[left out: folders named ${[...skipped].toSorted().join(', ')}]`)
  return lines.join('\n')
}

function entryLine({ shown, kind, bytes }: WalkEntry): string {
  if (kind === 'folder') return `${shown}/`
  if (kind === 'file') return `${shown} ${bytes}`
  return `${shown} (${kind === 'link' ? 'link, not followed' : 'no file'})`
}
