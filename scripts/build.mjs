// Writes what is published: dist/ with the bundle, the declarations, the licences of what is in the bundle and the bill of
// materials, and web/dist with the page.
import { spawnSync } from 'node:child_process'
import { existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { buildPage } from './build-page.mjs'
import { bundle } from './bundle.mjs'
import { keepPublicDeclarations } from './package.mjs'
import { billOfMaterials } from './sbom.mjs'

const root = dirname(dirname(fileURLToPath(import.meta.url)))
const dist = join(root, 'dist')

rmSync(dist, { recursive: true, force: true })
const compiler = join(root, 'node_modules', 'typescript', 'bin', 'tsc')
// One thread of the compiler costs a quarter less processor time, and takes as long.
const words = [compiler, '-p', join(root, 'tsconfig.build.json'), '--singleThreaded']
const { status } = spawnSync(process.execPath, words, { stdio: ['ignore', 2, 2] })
if (status !== 0) stop(`the compiler ended with exit code ${status}; its messages stand above.`)

try {
  keepPublicDeclarations(filesIn(dist))
  writeFileSync(join(dist, 'licenses.txt'), licences(await bundle(dist)))
  buildPage()
  writeFileSync(join(dist, 'sbom.cdx.json'), billOfMaterials())
} catch (error) {
  stop(error.message)
}

const missing = promisedFiles().filter((file) => !existsSync(join(root, file)))
if (missing.length > 0) stop(`package.json promises files that were not made: ${missing.join(', ')}`)

function filesIn(folder) {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map(({ parentPath, name }) => join(parentPath, name))
}

/** Of each package in the bundle its name, its version and the texts of its licence. */
function licences(folders) {
  const texts = folders.map((folder) => {
    const { name, version, license } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'))
    const files = readdirSync(folder).filter((file) => /^(?:licen[cs]e|copying|notice)/i.test(file))
    const found = files.toSorted().map((file) => readFileSync(join(folder, file), 'utf8').trim())
    return [`${name} ${version}`, found.length === 0 ? `Licence: ${license}` : found.join('\n\n')].join('\n\n')
  })
  return `This bundle contains the code of these packages.\n\n${texts.toSorted().join(`\n\n${'-'.repeat(80)}\n\n`)}\n`
}

function promisedFiles() {
  const { exports: doors } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'))
  return Object.values(doors).flatMap((door) => (typeof door === 'string' ? [door] : [door.types, door.default]))
}

function stop(text) {
  process.stderr.write(`foreword build: ${text}\n`)
  process.exit(1)
}
