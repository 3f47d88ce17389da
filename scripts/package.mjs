// Writes the packages that are published: `npm run package` builds them and packs them into foreword-VERSION.tgz, and into
// foreword-context-VERSION.tgz, which has the core alone.
import { spawnSync } from 'node:child_process'
import { cpSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join, relative, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import { bundleContext } from './bundle.mjs'
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
  const { files, names } = declarationsFrom(Object.values(manifest.exports).flatMap(({ types }) => types ?? []))
  for (const path of all) if (!files.has(path)) rmSync(path)
  const packages = [...names].filter((name) => name in manifest.dependencies).toSorted()
  if (packages.join() !== publishedDependencies.join())
    throw new Error(`the published declarations name ${packages.join(', ')}: correct publishedDependencies.`)
}

/** The declarations that some of dist/ lead to, these included, and the packages that they name. */
function declarationsFrom(entries) {
  /** @type {Set<string>} */
  const files = new Set()
  /** @type {Set<string>} */
  const names = new Set()
  const open = [...entries]
  for (let file = open.pop(); file !== undefined; file = open.pop()) {
    const path = resolve(root, file)
    if (files.has(path)) continue
    files.add(path)
    for (const [, specifier] of readFileSync(path, 'utf8').matchAll(/(?:\bfrom|\bimport\()\s*['"]([^'"\n]+)['"]/g)) {
      const found = resolve(dirname(path), specifier.replace(/\.[jt]s$/, '.d.ts'))
      if (!specifier.startsWith('.')) names.add(/^(?:@[^/]+\/)?[^/]+/.exec(specifier)[0])
      else if (existsSync(found)) open.push(found)
    }
  }
  return { files, names }
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

/** Writes `@foreword/context` of a built checkout into a folder: the core alone, from the same source, for programs with a loop of their own. */
async function stageContext(folder) {
  const { version, license, type, sideEffects, engines, exports, dependencies } = manifest
  const door = withoutSource(exports['./context'])
  await bundleContext(join(folder, 'dist'))
  for (const path of declarationsFrom([door.types]).files) cpSync(path, join(folder, relative(root, path)))
  const published = {
    name: '@foreword/context',
    version,
    description: 'Decides what a model reads, within its budget, and accounts for every piece. Pure functions.',
    license,
    type,
    sideEffects,
    exports: { '.': door },
    dependencies: { tokenx: dependencies.tokenx },
    engines,
  }
  writeFileSync(join(folder, 'package.json'), `${JSON.stringify(published, null, 2)}\n`)
  cpSync(join(root, 'LICENSE'), join(folder, 'LICENSE'))
  cpSync(join(root, 'docs', 'guide', 'library.md'), join(folder, 'README.md'))
}

/** Packs a built checkout into a folder, and returns what npm tells about the archive. */
export function packPackage(destination) {
  return packStaged(destination, stagePackage)
}

/** The same of the core alone. */
export function packContext(destination) {
  return packStaged(destination, stageContext)
}

async function packStaged(destination, stage) {
  const folder = mkdtempSync(join(tmpdir(), 'foreword-package-'))
  try {
    await stage(folder)
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
  if (status !== 0) process.exitCode = 1
  else
    for (const { filename } of [await packPackage(root), await packContext(root)])
      process.stdout.write(`${join(root, filename)}\n`)
}
