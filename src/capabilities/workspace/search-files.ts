import type { Tool, ToolResult } from '../../tool.ts'
import type { PathInFolder } from '../../capability.ts'
import { confinedPath, pathInput } from '../../capability/toolkit.ts'
import { DEEPEST, type WalkEntry, walkFolder, globMatcher } from './folder-walk.ts'
import { expressionMatcher, type LineMatch, type LineMatcher, literalMatcher } from './line-matcher.ts'
import { placeName, printableName, readTextFile, type WorkspaceOptions } from './text-file.ts'

/** Lines of one answer. */
const MOST_MATCHES = 200

/** Characters of a line that are shown, and those before the place that fits. */
const LINE_CHARS = 240
const BEFORE = 60

const MOST_BYTES = 256 * 1024 * 1024
const MOST_FILES = 20_000

interface SearchInput {
  readonly pattern: string
  readonly path?: string
  readonly glob?: string
  readonly regex?: boolean
}

export function searchWorkspaceTool({ folder, outOfReach }: WorkspaceOptions): Tool {
  return {
    name: 'search_files',
    description:
      'Find lines that hold a text, or fit a regular expression (regex: true), as path:line: text. glob picks files.',
    inputSchema: {
      type: 'object',
      properties: {
        pattern: { type: 'string', minLength: 1 },
        path: pathInput,
        glob: { type: 'string' },
        regex: { type: 'boolean' },
      },
      required: ['pattern'],
      additionalProperties: false,
    },
    origin: 'file',
    afterUntrusted: 'allow',
    readsFrom: ({ path = '.' }) => [`lines in ${placeName(path)}`],
    idempotent: true,
    timeoutMs: 60_000,
    async execute(input, { signal, clock }) {
      const { pattern, path = '.', regex = false, ...given } = input as SearchInput
      const place = await confinedPath(folder, path, outOfReach)
      if (place.type === 'refused') return { ok: false, error: place.why }
      if (!regex && pattern.includes('\n'))
        return { ok: false, error: 'the pattern holds a line break: one line is searched at a time' }
      const matcher = regex ? await expressionMatcher(clock, pattern, signal) : literalMatcher(pattern)
      try {
        return await search(place, given.glob || undefined, matcher, signal)
      } finally {
        await matcher.close()
      }
    },
  }
}

async function search(
  place: PathInFolder,
  glob: string | undefined,
  matcher: LineMatcher,
  signal: AbortSignal,
): Promise<ToolResult> {
  const isWanted = glob === undefined ? () => true : globMatcher(glob)
  const skipped = new Set<string>()
  const lines: string[] = []
  let [files, bytes, unread] = [0, 0, 0]
  let stopped: string | undefined
  for await (const { names, shown: path } of walkFiles(place, signal, (name) => skipped.add(name))) {
    if (!isWanted(names.slice(place.names.length).join('/') || names.at(-1)!)) continue
    const file = await readTextFile({ ...place, names })
    if (file.type === 'unusable') unread += 1
    if (file.type !== 'text') continue
    const found = await matcher.match(file.text, MOST_MATCHES + 1 - lines.length)
    lines.push(...found.map((one) => matchLine(path, one)))
    files += 1
    bytes += file.bytes
    if (lines.length > MOST_MATCHES) stopped = `stopped after ${MOST_MATCHES} lines`
    else if (files >= MOST_FILES || bytes >= MOST_BYTES) stopped = `stopped after ${files} files`
    if (stopped !== undefined) break
  }
  const shown = lines.length === 0 ? [`(no line fits; ${files} files searched)`] : lines.slice(0, MOST_MATCHES)
  if (stopped !== undefined) shown.push(`[${stopped}: give a path, a glob or a longer pattern]`)
  if (unread > 0) shown.push(`[not searched: ${unread} binary or too large]`)
  if (skipped.size > 0) shown.push(`[left out: folders named ${[...skipped].toSorted().join(', ')}]`)
  return { ok: true, output: shown.join('\n') }
}

/** Files below a place, or the place itself where it is one. */
async function* walkFiles(
  place: PathInFolder,
  signal: AbortSignal,
  onSkipped: (name: string) => void,
): AsyncGenerator<Pick<WalkEntry, 'names' | 'shown'>> {
  const shown = printableName(place.names.join('/'))
  const found = await readTextFile(place)
  if (found.type === 'missing') throw new Error(`${shown} does not exist`)
  if (found.type === 'unusable') throw new Error(found.why)
  if (found.type === 'text') yield { names: place.names, shown }
  else {
    for await (const entry of walkFolder(place, { depth: DEEPEST, signal, onSkipped })) {
      if (entry.kind === 'file') yield entry
    }
  }
}

function matchLine(name: string, { line, text, at }: LineMatch): string {
  const start = text.length <= LINE_CHARS ? 0 : Math.max(0, at - BEFORE)
  const part = text.slice(start, start + LINE_CHARS).toWellFormed()
  const end = start + LINE_CHARS < text.length ? '…' : ''
  return `${name}:${line}: ${start > 0 ? '…' : ''}${part.trimEnd()}${end}`
}
