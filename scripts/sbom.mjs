// Prints the bill of materials of the package in CycloneDX: every package that an install brings, with its version, licence
// and digest, as the lockfile has them. `npm run sbom > FILE`. The package itself has it as dist/sbom.cdx.json.
import { spawnSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'

const root = dirname(dirname(fileURLToPath(import.meta.url)))

if (process.argv[1] === fileURLToPath(import.meta.url)) process.stdout.write(billOfMaterials())

/** The same text for the same lockfile: without the time and the serial number that npm adds. */
export function billOfMaterials() {
  const folder = mkdtempSync(join(tmpdir(), 'foreword-sbom-'))
  const published = join(folder, 'foreword')
  try {
    mkdirSync(published)
    // As it is installed from the registry: npm leaves out packages that a workspace of the checkout uses as well.
    const { workspaces: _, devDependencies: __, scripts: ___, ...manifest } = readJson('package.json')
    const { packages, ...lockfile } = readJson('package-lock.json')
    const { workspaces: ____, devDependencies: _____, ...own } = packages['']
    const kept = Object.entries(packages).filter(
      ([at, { dev, link }]) => at.startsWith('node_modules/') && !dev && !link,
    )
    writeFileSync(join(published, 'package.json'), JSON.stringify(manifest))
    writeFileSync(
      join(published, 'package-lock.json'),
      JSON.stringify({ ...lockfile, packages: { '': own, ...Object.fromEntries(kept) } }),
    )
    const { serialNumber: ______, ...document } = JSON.parse(npmSbom(published))
    const { timestamp: _______, tools: ________, ...metadata } = document.metadata
    return `${JSON.stringify({ ...document, metadata }, null, 1)}\n`
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

function readJson(name) {
  return JSON.parse(readFileSync(join(root, name), 'utf8'))
}

function npmSbom(cwd) {
  const words = ['sbom', '--sbom-format', 'cyclonedx', '--package-lock-only']
  const script = process.env.npm_execpath
  const isNpm = script !== undefined && /npm-cli\.[cm]?js$/.test(script)
  const options = { cwd, encoding: 'utf8', maxBuffer: 64 * 1024 * 1024 }
  const { status, stdout, stderr, error } = isNpm
    ? spawnSync(process.execPath, [script, ...words], options)
    : spawnSync('npm', words, { ...options, shell: process.platform === 'win32' })
  if (status !== 0) throw new Error(`npm sbom failed: ${error?.message ?? stderr}`)
  return stdout
}
