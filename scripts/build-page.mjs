// Builds the page of the gateway into web/dist, if its sources have changed since the last build.
import { spawnSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join, relative } from 'node:path'
import { fileURLToPath } from 'node:url'
import { brotliCompressSync } from 'node:zlib'

const root = dirname(dirname(fileURLToPath(import.meta.url)))
const web = join(root, 'web')
const stampFile = join(web, 'dist', '.built')

/** What the page is made of: its own sources, the core that it runs, and the packages. */
const sources = [
  join(root, 'package-lock.json'),
  join(web, 'index.html'),
  join(web, 'vite.config.ts'),
  join(web, 'smaller-packages.ts'),
  join(web, 'src'),
  join(web, 'public'),
  join(web, 'languages'),
  join(root, 'scripts', 'build-page.mjs'),
  join(root, 'src', 'context.ts'),
  join(root, 'src', 'context'),
]

/** Builds the page with `node`, the Node of the checkout, unless it is up to date. Throws where the build fails. */
export function buildPage(node = process.execPath) {
  const stamp = digestOf(sources.flatMap(filesOf))
  if (existsSync(stampFile) && readFileSync(stampFile, 'utf8') === stamp) return
  process.stderr.write('foreword setup: building the page\n')
  const vite = join(root, 'node_modules', 'vite', 'bin', 'vite.js')
  const { status } = spawnSync(node, [vite, 'build', '--logLevel', 'warn'], { cwd: web, stdio: ['ignore', 2, 2] })
  if (status !== 0) throw new Error(`the build of the page ended with exit code ${status}; its messages stand above.`)
  for (const file of filesOf(join(web, 'dist', 'assets'))) {
    if (/\.(?:js|css)$/.test(file)) writeFileSync(`${file}.br`, brotliCompressSync(readFileSync(file)))
  }
  writeFileSync(stampFile, stamp)
}

function filesOf(path) {
  if (/\.\w+$/.test(path)) return [path]
  return readdirSync(path, { withFileTypes: true, recursive: true })
    .filter((entry) => entry.isFile() && !entry.name.endsWith('.test.ts'))
    .map((entry) => join(entry.parentPath ?? entry.path, entry.name))
    .toSorted()
}

function digestOf(files) {
  const hash = createHash('sha256')
  for (const file of files)
    hash
      .update(`${relative(root, file)}\0`)
      .update(readFileSync(file))
      .update('\0')
  return hash.digest('hex')
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  try {
    buildPage()
  } catch (error) {
    process.stderr.write(`foreword build: ${error.message}\n`)
    process.exitCode = 1
  }
}
