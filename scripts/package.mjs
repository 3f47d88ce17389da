// Writes the package that is published: `npm run package` builds it and packs it into foreword-VERSION.tgz.
import { spawnSync } from 'node:child_process'
import { cpSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import { npmProgram } from './npm-program.mjs'

const root = dirname(dirname(fileURLToPath(import.meta.url)))
const manifest = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'))

/**
 * The packages that an install brings: those that the published declarations name. The code of every package is in the bundle,
 * so what else a checkout depends on is not installed.
 */
export const publishedDependencies = [
  '@ai-sdk/provider',
  '@ai-sdk/provider-utils',
  '@earendil-works/pi-tui',
  '@modelcontextprotocol/server',
  'ajv',
  'eventsource-parser',
  'grammy',
  'hono',
  'jsonc-parser',
  'zod',
]

/** Deletes the declarations in dist/ that no entry point leads to. Throws where those that stay name other packages than an install brings. */
export function keepPublicDeclarations(all) {
  const kept = new Set()
  /** @type {Set<string>} */
  const named = new Set()
  const open = Object.values(manifest.exports).flatMap(({ types }) => types ?? [])
  for (let file = open.pop(); file !== undefined; file = open.pop()) {
    const path = resolve(root, file)
    if (kept.has(path)) continue
    kept.add(path)
    for (const [, specifier] of readFileSync(path, 'utf8').matchAll(/(?:\bfrom|\bimport\()\s*['"]([^'"\n]+)['"]/g)) {
      const found = resolve(dirname(path), specifier.replace(/\.[jt]s$/, '.d.ts'))
      if (!specifier.startsWith('.')) named.add(/^(?:@[^/]+\/)?[^/]+/.exec(specifier)[0])
      else if (existsSync(found)) open.push(found)
    }
  }
  for (const path of all) if (!kept.has(path)) rmSync(path)
  const packages = [...named].filter((name) => name in manifest.dependencies).toSorted()
  if (packages.join() !== publishedDependencies.join())
    throw new Error(`the published declarations name ${packages.join(', ')}: correct publishedDependencies.`)
}

/** Copies what is published of a built checkout into a folder, with a manifest of its own. Without `dist`, it is left out. */
export function stagePackage(folder, { dist = true } = {}) {
  const { scripts: _, devDependencies: __, workspaces: ___, private: ____, dependencies, exports, ...rest } = manifest
  const published = {
    ...rest,
    exports: Object.fromEntries(Object.entries(exports).map(([name, door]) => [name, withoutSource(door)])),
    dependencies: Object.fromEntries(publishedDependencies.map((name) => [name, dependencies[name]])),
  }
  mkdirSync(folder, { recursive: true })
  writeFileSync(join(folder, 'package.json'), `${JSON.stringify(published, null, 2)}\n`)
  for (const name of ['README.md', 'LICENSE', ...manifest.files.filter((each) => !each.startsWith('!'))]) {
    if (name !== 'dist' || dist) cpSync(join(root, name), join(folder, name), { recursive: true })
  }
}

function withoutSource(door) {
  if (typeof door === 'string') return door
  const { types, default: code } = door
  return { types, default: code }
}

/** Packs a built checkout into a folder, and returns what npm tells about the archive. */
export function packPackage(destination) {
  const folder = mkdtempSync(join(tmpdir(), 'foreword-package-'))
  try {
    stagePackage(folder)
    const { file, words, shell } = npmProgram()
    const asked = [...words, 'pack', '--ignore-scripts', '--json', '--pack-destination', destination]
    const { status, stdout, stderr } = spawnSync(file, asked, { cwd: folder, encoding: 'utf8', shell })
    if (status !== 0) throw new Error(`npm pack failed: ${stderr}`)
    return Object.values(JSON.parse(stdout))[0]
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const { status } = spawnSync(process.execPath, [join(root, 'scripts', 'build.mjs')], { stdio: ['ignore', 2, 2] })
  if (status === 0) process.stdout.write(`${join(root, packPackage(root).filename)}\n`)
  else process.exitCode = 1
}
