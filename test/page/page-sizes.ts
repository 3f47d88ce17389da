import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'

const dist = join(import.meta.dirname, '../../web/dist')

/** The most that all scripts of the page may have together, bytes, whenever they are loaded. */
export const SCRIPT_BUDGET = 200_000

/** A file of the built page. */
export interface PageSize {
  readonly name: string
  /** What loads late and is not counted has its own kind. */
  readonly kind: 'script' | 'highlight' | 'math' | 'other'
  /** Compressed. */
  readonly bytes: number
  /** Whether the document of the page names it, so that the first screen needs it. */
  readonly first: boolean
}

/** What `web/dist` has, the largest first. */
export function pageSizes(): readonly PageSize[] {
  const document = readFileSync(join(dist, 'index.html'), 'utf8')
  return readdirSync(join(dist, 'assets'))
    .map((name) => ({
      name,
      kind: kindOf(name),
      bytes: gzipSync(readFileSync(join(dist, 'assets', name)), { level: 9 }).length,
      first: document.includes(name),
    }))
    .toSorted((one, other) => other.bytes - one.bytes)
}

/** The sum of what counts, bytes. */
export function scriptBytes(sizes: readonly PageSize[]): number {
  return sizes.filter(({ kind }) => kind === 'script').reduce((sum, { bytes }) => sum + bytes, 0)
}

/** One line a file, and the sum below. */
export function sizeTable(sizes: readonly PageSize[]): string {
  const line = (bytes: number, text: string): string => `${(bytes / 1_000).toFixed(1).padStart(8)}  ${text}`
  return [
    ...sizes.map(({ name, kind, bytes, first }) =>
      line(bytes, `${name}${first ? '  first screen' : ''}${kind === 'script' ? '' : '  (not counted)'}`),
    ),
    '',
    line(scriptBytes(sizes), `all scripts but highlighting and mathematics, of ${SCRIPT_BUDGET / 1_000}`),
  ].join('\n')
}

/** `web/vite.config.ts` gives these names. */
function kindOf(name: string): PageSize['kind'] {
  if (!name.endsWith('.js')) return 'other'
  if (name.startsWith('highlight.')) return 'highlight'
  return name.startsWith('math.') ? 'math' : 'script'
}
