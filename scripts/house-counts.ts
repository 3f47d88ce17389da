// Prints what is held by a test and what is looked at (docs/decisions/0072-counts.md), then more about how easy the code is to
// change: public names and their users, and how many files know one thing.
//
//   npm run counts                            this checkout
//   npm run counts -- DIRECTORY               another checkout, with packages installed
//   npm run counts -- --names [DIRECTORY]     with the names behind the numbers
//   npm run counts -- --record                records the counts of today as the lines that are held
import { readFileSync } from 'node:fs'
import { dirname, join, resolve } from 'node:path'
import { filesPerChange } from './counts/changes.ts'
import { folderCircles } from './counts/circles.ts'
import { countsAboveLine, heldCounts, recordedLines, recordLines, rounded } from './counts/held-counts.ts'
import { lookedAt } from './counts/looked-at.ts'
import { isTest, namesTaken, namesTwice, roomOf, smallParts, type Sources, sourcesOf } from './counts/source-counts.ts'
import { pagesOf } from './docs/generated-files.ts'
import { withPublicApi } from './docs/public-api.ts'

const words = process.argv.slice(2)
const withNames = words.includes('--names')
const root = resolve(words.find((word) => !word.startsWith('--')) ?? dirname(import.meta.dirname))
const { name: packageName } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as { readonly name: string }

const all = sourcesOf(root, ['src', 'web/src', 'test', 'bench', 'examples', 'scripts'])
const product: Sources = new Map([...all].filter(([path]) => path.startsWith('src/') && !isTest(path)))

await printHeld()
printLookedAt()
printMore()

async function printHeld(): Promise<void> {
  const counts = await heldCounts(root)
  if (words.includes('--record')) recordLines(counts, new Date().toISOString().slice(0, 10))
  const recorded = recordedLines()
  table(
    ['Held', 'now', `line of ${recorded.date}`, 'aim'],
    counts.map(({ id, what, count, aim }) => [what, count, recorded.lines[id] ?? '-', aim]),
  )
  for (const sentence of countsAboveLine(counts, recorded)) line(sentence)
  names(folderCircles(product).map(({ folders, imports }) => `${folders.join(', ')}: ${imports.join(' and ')}`))
}

function printLookedAt(): void {
  const publicNames = withPublicApi(root, ({ entryPoints }) => {
    return entryPoints.reduce((sum, { names: exported }) => sum + exported.length, 0)
  })
  const sources: Sources = new Map([...all].filter(([path]) => /^(?:src|web\/src)\//.test(path) && !isTest(path)))
  table(
    ['Looked at', 'Foreword', 'the field', 'where we want to be'],
    lookedAt(sources, publicNames).map(({ what, now, field, aim }) => [what, now, field, aim]),
  )
}

function printMore(): void {
  const largest = [...product.values()].toSorted((one, other) => other.lines - one.lines)
  for (const file of largest.slice(0, 5)) line(`lines of ${file.path}`, file.lines)
  names(smallParts(product))
  countNames()
  countChanges()
}

function countNames(): void {
  const docs = pagesOf(join(root, 'docs')).filter((path) => !path.startsWith('reference/'))
  const pages = ['README.md', ...docs.map((path) => `docs/${path}`)].map((path) => {
    return [path, { path, text: readFileSync(join(root, path), 'utf8'), lines: 0 }] as const
  })
  const taken = namesTaken(new Map([...all, ...pages]), packageName)
  const unused = withPublicApi(root, ({ entryPoints }) => {
    return entryPoints.map(({ specifier, source, names: exported }) => {
      const room = roomOf(source)
      const idle = exported.filter(({ name }) => !taken.has(`${room} ${name}`)).map(({ name }) => name)
      line(`  ${specifier}`, `${exported.length}, ${idle.length} of them unused outside the room`)
      names(idle)
      return idle.length
    })
  })
  line(
    'public names that are unused outside their room',
    unused.reduce((sum, count) => sum + count, 0),
  )
  const twice = namesTwice(product)
  line('exported names that several files declare', twice.size)
  names([...twice].map(([name, files]) => `${name}: ${files.join(', ')}`))
}

function countChanges(): void {
  for (const { what, files } of filesPerChange(product)) {
    line(`files that know ${what}`, files.length)
    names(files)
  }
}

function table(head: readonly string[], rows: readonly (readonly (number | string)[])[]): void {
  const cells = [head, ...rows].map((row) => row.map((cell) => (typeof cell === 'number' ? `${rounded(cell)}` : cell)))
  const widths = head.map((_, column) => Math.max(...cells.map((row) => row[column]!.length)))
  for (const row of cells)
    line(
      row
        .map((cell, column) => cell.padEnd(widths[column]!))
        .join('   ')
        .trimEnd(),
    )
  line('')
}

function line(what: string, count?: number | string): void {
  process.stdout.write(count === undefined ? `${what}\n` : `${what}: ${count}\n`)
}

function names(found: readonly string[]): void {
  if (withNames) for (const name of found) process.stdout.write(`    ${name}\n`)
}
