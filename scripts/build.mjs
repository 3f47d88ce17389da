// Writes what is published: dist/ with the JavaScript and the declarations, the bill of
// materials, and web/dist with the page.
import { spawnSync } from 'node:child_process'
import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { buildPage } from './build-page.mjs'
import { billOfMaterials } from './sbom.mjs'

const root = dirname(dirname(fileURLToPath(import.meta.url)))

rmSync(join(root, 'dist'), { recursive: true, force: true })
const compiler = join(root, 'node_modules', 'typescript', 'bin', 'tsc')
const { status } = spawnSync(process.execPath, [compiler, '-p', join(root, 'tsconfig.build.json')], {
  stdio: ['ignore', 2, 2],
})
if (status !== 0) stop(`the compiler ended with exit code ${status}; its messages stand above.`)

try {
  buildPage()
  writeFileSync(join(root, 'dist', 'sbom.cdx.json'), billOfMaterials())
} catch (error) {
  stop(error.message)
}

const missing = promisedFiles().filter((file) => !existsSync(join(root, file)))
if (missing.length > 0) stop(`package.json promises files that were not made: ${missing.join(', ')}`)

function promisedFiles() {
  const { exports: doors } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'))
  return Object.values(doors).flatMap((door) => (typeof door === 'string' ? [door] : [door.types, door.default]))
}

function stop(text) {
  process.stderr.write(`foreword build: ${text}\n`)
  process.exit(1)
}
