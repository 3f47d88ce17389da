// Counts how easy the code is to change: files and their sizes, public names and their users, and the functions that
// run for one message.
//
//   npm run counts                            this checkout
//   npm run counts -- DIRECTORY               another checkout, with packages installed
//   npm run counts -- --names [DIRECTORY]     with the names behind the numbers
import { readFileSync } from 'node:fs'
import { dirname, join, resolve } from 'node:path'
import { pagesOf } from './docs/generated-files.ts'
import { withPublicApi } from './docs/public-api.ts'
import { filesPerChange } from './counts/changes.ts'
import { helloCounts } from './counts/hello.ts'
import {
  isTest,
  namesTaken,
  namesTwice,
  roomOf,
  smallParts,
  soleImports,
  type Sources,
  sourcesOf,
} from './counts/source-counts.ts'

const words = process.argv.slice(2)
const withNames = words.includes('--names')
const root = resolve(words.find((word) => word !== '--names') ?? dirname(import.meta.dirname))
const { name: packageName } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as { readonly name: string }

const all = sourcesOf(root, ['src', 'test', 'bench', 'examples', 'scripts'])
const product: Sources = new Map([...all].filter(([path]) => path.startsWith('src/') && !isTest(path)))

countFiles()
countNames()
countChanges()
await countHello()

function countFiles(): void {
  const sizes = [...product.values()].toSorted((one, other) => other.lines - one.lines)
  const lines = sizes.reduce((sum, file) => sum + file.lines, 0)
  line('files under src, without tests', sizes.length)
  line('lines in them', lines)
  line('lines of the median file', sizes[Math.floor(sizes.length / 2)]!.lines)
  line('files over 400 lines', sizes.filter((file) => file.lines > 400).length)
  for (const file of sizes.slice(0, 5)) line(`  ${file.path}`, file.lines)
  line('files with a single importer', soleImports(product).size)
  const small = smallParts(product)
  line('files under 30 lines with a single importer in their folder', small.length)
  names(small)
}

function countNames(): void {
  const docs = pagesOf(join(root, 'docs')).filter((path) => !path.startsWith('reference/'))
  const pages = ['README.md', ...docs.map((path) => `docs/${path}`)].map((path) => {
    return [path, { path, text: readFileSync(join(root, path), 'utf8'), lines: 0 }] as const
  })
  const taken = namesTaken(new Map([...all, ...pages]), packageName)
  const unused = withPublicApi(root, ({ entryPoints }) => {
    line(
      'public names',
      entryPoints.reduce((sum, { names: exported }) => sum + exported.length, 0),
    )
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

async function countHello(): Promise<void> {
  const counts = await helloCounts(root)
  for (const [at, { functions, files }] of counts.entries()) {
    line(`named functions that the gateway runs for "Hello" number ${at + 1}`, `${functions}, in ${files} files`)
  }
}

function line(what: string, count: number | string): void {
  process.stdout.write(`${what}: ${count}\n`)
}

function names(found: readonly string[]): void {
  if (withNames) for (const name of found) process.stdout.write(`    ${name}\n`)
}
