import { readdirSync, readFileSync, statSync } from 'node:fs'
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
  /** Compressed as a browser receives it: with Brotli, by the build. */
  readonly bytes: number
  /** The same with gzip, for what does not know Brotli. */
  readonly gzipBytes: number
  /** Whether the document of the page names it, so that the first screen needs it. */
  readonly first: boolean
}

/** What `web/dist` has, the largest first. */
export function pageSizes(): readonly PageSize[] {
  const document = readFileSync(join(dist, 'index.html'), 'utf8')
  const sizeOf = (name: string): number => statSync(join(dist, 'assets', name)).size
  const names = readdirSync(join(dist, 'assets'))
  return names
    .filter((name) => !name.endsWith('.br'))
    .map((name) => ({
      name,
      kind: kindOf(name),
      bytes: names.includes(`${name}.br`) ? sizeOf(`${name}.br`) : sizeOf(name),
      gzipBytes: gzipSync(readFileSync(join(dist, 'assets', name)), { level: 9 }).length,
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
  const kB = (bytes: number): string => (bytes / 1_000).toFixed(1).padStart(8)
  const line = (bytes: number, gzipBytes: number, text: string): string => `${kB(bytes)}${kB(gzipBytes)}  ${text}`
  const counted = sizes.filter(({ kind }) => kind === 'script')
  const gzipSum = counted.reduce((sum, { gzipBytes }) => sum + gzipBytes, 0)
  return [
    '  Brotli    gzip',
    ...sizes.map(({ name, kind, bytes, gzipBytes, first }) =>
      line(bytes, gzipBytes, `${name}${first ? '  first screen' : ''}${kind === 'script' ? '' : '  (not counted)'}`),
    ),
    '',
    line(scriptBytes(sizes), gzipSum, `all scripts but highlighting and mathematics, of ${SCRIPT_BUDGET / 1_000}`),
  ].join('\n')
}

/** `web/vite.config.ts` gives these names. */
function kindOf(name: string): PageSize['kind'] {
  if (!name.endsWith('.js')) return 'other'
  if (name.startsWith('highlight.')) return 'highlight'
  return name.startsWith('math.') ? 'math' : 'script'
}
