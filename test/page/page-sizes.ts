import { readdirSync, readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'

const dist = join(import.meta.dirname, '../../web/dist')

/** The most that the scripts of the first screen may have together, bytes. What comes later is listed, and has no limit. */
export const FIRST_SCREEN_BUDGET = 150_000

/** A file of the built page. */
export interface PageSize {
  readonly name: string
  /** What draws code, mathematics and diagrams is loaded by the first answer that has some. */
  readonly kind: 'script' | 'highlight' | 'math' | 'mermaid' | 'other'
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

/** The scripts that the first screen waits for, bytes. */
export function firstScreenBytes(sizes: readonly PageSize[]): number {
  return sum(sizes.filter(({ name, first }) => first && name.endsWith('.js'))).bytes
}

function sum(sizes: readonly PageSize[]): Pick<PageSize, 'bytes' | 'gzipBytes'> {
  return {
    bytes: sizes.reduce((bytes, size) => bytes + size.bytes, 0),
    gzipBytes: sizes.reduce((bytes, size) => bytes + size.gzipBytes, 0),
  }
}

/** One line a file, and the sums below: of the first screen, and of what comes late. */
export function sizeTable(sizes: readonly PageSize[]): string {
  const kB = (bytes: number): string => (bytes / 1_000).toFixed(1).padStart(8)
  const line = (bytes: number, gzipBytes: number, text: string): string => `${kB(bytes)}${kB(gzipBytes)}  ${text}`
  const scripts = sizes.filter(({ name }) => name.endsWith('.js'))
  const sumLine = (files: readonly PageSize[], text: string): string => {
    const { bytes, gzipBytes } = sum(files)
    return line(bytes, gzipBytes, text)
  }
  return [
    '  Brotli    gzip',
    ...sizes.map(({ name, bytes, gzipBytes, first }) =>
      line(bytes, gzipBytes, `${name}${first ? '  first screen' : ''}`),
    ),
    '',
    sumLine(
      scripts.filter(({ first }) => first),
      `scripts of the first screen, of ${FIRST_SCREEN_BUDGET / 1_000}`,
    ),
    sumLine(
      scripts.filter(({ kind, first }) => kind === 'script' && !first),
      'scripts that come late',
    ),
    sumLine(
      scripts.filter(({ kind }) => kind !== 'script'),
      'highlighting, mathematics and diagrams, each by itself',
    ),
  ].join('\n')
}

/** `web/vite.config.ts` gives these names. */
function kindOf(name: string): PageSize['kind'] {
  if (!name.endsWith('.js')) return 'other'
  return (['highlight', 'math', 'mermaid'] as const).find((kind) => name.startsWith(`${kind}.`)) ?? 'script'
}
