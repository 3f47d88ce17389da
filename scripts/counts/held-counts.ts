import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { circles, roomFaults } from '../../test/house/rules.ts'
import { folderCircles } from './circles.ts'
import { gatewayCounts } from './gateway-counts.ts'
import { installCounts } from './install-counts.ts'
import { packageCounts } from './package-counts.ts'
import { sourcesOf } from './source-counts.ts'

/** A count of something that people pay for, held by a test: `docs/decisions/0072-counts.md`. */
export interface HeldCount {
  readonly id: string
  readonly what: string
  readonly count: number
  readonly aim: number
}

/** The counts on a day. A change of a line is a decision with a reason. */
export interface RecordedLines {
  /** ISO 8601, without a time. */
  readonly date: string
  readonly lines: Readonly<Record<string, number>>
}

/** How far a count may be above its line. */
const SLACK = 0.05

const recordedFile = join(import.meta.dirname, 'recorded-lines.json')

export async function heldCounts(root: string): Promise<readonly HeldCount[]> {
  const { hello, turn } = await gatewayCounts(root)
  const published = await packageCounts(root)
  const install = installCounts(root, published.dependencies)
  const sources = sourcesOf(root, ['src'])
  const texts = new Map([...sources].map(([path, { text }]) => [path, text]))
  const upwards = roomFaults(texts, new Set()).filter((fault) => fault.endsWith('rooms import downwards only'))
  return [
    { id: 'hello-functions', what: 'a "Hello", warm: named functions that run', count: hello.functions, aim: 300 },
    { id: 'hello-files', what: 'a "Hello", warm: files they are in', count: hello.files, aim: 80 },
    { id: 'turn-statements', what: 'a small turn: SQL statements', count: turn.statements, aim: 12 },
    { id: 'turn-transactions', what: 'a small turn: transactions that write', count: turn.commits, aim: 2 },
    { id: 'turn-writes', what: 'a small turn: writes to files', count: turn.writes, aim: 20 },
    { id: 'turn-kib-written', what: 'a small turn: KiB written', count: turn.bytesWritten / 1024, aim: 30 },
    { id: 'turn-kib-kept', what: 'a small turn: KiB kept', count: turn.bytesKept / 1024, aim: 3 },
    { id: 'turn-looks', what: 'a small turn: looks at the disk', count: turn.looks, aim: 0 },
    { id: 'start-modules', what: 'a start of the package: files that are loaded', count: published.start, aim: 120 },
    { id: 'help-modules', what: '`--help` of the package: files that are loaded', count: published.help, aim: 10 },
    { id: 'send-modules', what: '`send` beside a gateway: files that are loaded', count: published.send, aim: 15 },
    { id: 'install-packages', what: 'an install: packages', count: install.packages, aim: 80 },
    {
      id: 'install-megabytes',
      what: 'an install: MB of packages and of the bundle',
      count: (install.bytes + published.bytes) / 1e6,
      aim: 60,
    },
    { id: 'file-circles', what: 'circles of files', count: circles(texts).length, aim: 0 },
    {
      id: 'folder-circles',
      what: 'pairs of folders of a room that import each other',
      count: folderCircles(sources).length,
      aim: 0,
    },
    { id: 'upward-imports', what: 'imports upwards', count: upwards.length, aim: 0 },
  ]
}

/** A sentence for each count that is more than the slack above its line, or that has no line. */
export function countsAboveLine(
  counts: readonly HeldCount[],
  { date, lines }: RecordedLines = recordedLines(),
): readonly string[] {
  return counts.flatMap(({ id, what, count }) => {
    const line = lines[id]
    if (line === undefined) return [`${id} has no line: record it with \`npm run counts -- --record\``]
    if (count <= line * (1 + SLACK)) return []
    const limit = rounded(line * (1 + SLACK))
    return [
      `${id}: ${what}: ${rounded(count)}. The line of ${date} is ${line}, and ${limit} is the most. Find what was added, or ` +
        'change the line with a reason: docs/decisions/0072-counts.md',
    ]
  })
}

export function recordedLines(): RecordedLines {
  return JSON.parse(readFileSync(recordedFile, 'utf8')) as RecordedLines
}

export function recordLines(counts: readonly HeldCount[], date: string): void {
  const lines = Object.fromEntries(counts.map(({ id, count }) => [id, rounded(count)]))
  writeFileSync(recordedFile, `${JSON.stringify({ date, lines }, undefined, 2)}\n`)
}

/** Counts of one turn are averages over several. */
export function rounded(count: number): number {
  return Math.round(count * 10) / 10
}
