// Builds the package a second time, from a copy of its sources in another folder, and compares every file with the first
// build (dist and web/dist). Prints the digest of both. `npm run reproducible`, after `npm run build`.
import { spawnSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { cpSync, mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join, relative, sep } from 'node:path'
import { fileURLToPath } from 'node:url'

const root = dirname(dirname(fileURLToPath(import.meta.url)))
const made = ['dist', join('web', 'dist')]
const sources = ['package.json', 'package-lock.json', 'tsconfig.json', 'tsconfig.build.json', 'src', 'web', 'scripts']
const copy = mkdtempSync(join(tmpdir(), 'foreword-second-build-'))

try {
  const isSource = (path) => !made.includes(relative(root, path)) && !path.split(sep).includes('node_modules')
  for (const name of sources) cpSync(join(root, name), join(copy, name), { recursive: true, filter: isSource })
  symlinkSync(join(root, 'node_modules'), join(copy, 'node_modules'), 'junction')
  const { status } = spawnSync(process.execPath, [join(copy, 'scripts', 'build.mjs')], { stdio: ['ignore', 2, 2] })
  if (status !== 0) throw new Error(`the second build ended with exit code ${status}; its messages stand above.`)
  const [first, second] = [root, copy].map(digests)
  const differ = [...new Set([...first.keys(), ...second.keys()])].filter(
    (name) => first.get(name) !== second.get(name),
  )
  if (first.size === 0) throw new Error('there is no first build; run `npm run build`.')
  if (differ.length > 0)
    throw new Error(`two builds differ in ${differ.length} files: ${differ.slice(0, 5).join(', ')}`)
  const all = createHash('sha256')
    .update(JSON.stringify([...first].toSorted(([a], [b]) => (a < b ? -1 : 1))))
    .digest('hex')
  process.stdout.write(`two builds made the same ${first.size} files: sha256 ${all}\n`)
} catch (error) {
  process.stderr.write(`foreword reproducible: ${error.message}\n`)
  process.exitCode = 1
} finally {
  rmSync(copy, { recursive: true, force: true })
}

function digests(folder) {
  const files = made.flatMap((name) =>
    readdirSync(join(folder, name), { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile()),
  )
  return new Map(
    files.map(({ parentPath, name }) => {
      const path = join(parentPath, name)
      return [relative(folder, path), createHash('sha256').update(readFileSync(path)).digest('hex')]
    }),
  )
}
