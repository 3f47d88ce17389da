// Prints the bill of materials of the package in CycloneDX: every package that an install brings, with its version, licence
// and digest, as the lockfile has them. `npm run sbom > FILE`. The package itself has it as dist/sbom.cdx.json.
import { spawnSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { npmProgram } from './npm-program.mjs'

const root = dirname(dirname(fileURLToPath(import.meta.url)))

if (process.argv[1] === fileURLToPath(import.meta.url)) process.stdout.write(billOfMaterials())

/** The same text for the same lockfile: without the time and the serial number that npm adds. */
export function billOfMaterials() {
  const folder = mkdtempSync(join(tmpdir(), 'foreword-sbom-'))
  const published = join(folder, 'foreword')
  try {
    mkdirSync(published)
    // As it is installed from the registry: npm leaves out packages that a workspace of the checkout uses as well.
    const manifest = readJson('package.json')
    const lockfile = readJson('package-lock.json')
    for (const each of [manifest, lockfile.packages['']]) {
      delete each.workspaces
      delete each.devDependencies
    }
    const needed = neededPackages(lockfile.packages, Object.keys(manifest.dependencies))
    for (const at of Object.keys(lockfile.packages)) {
      if (at !== '' && !needed.has(at)) delete lockfile.packages[at]
    }
    writeFileSync(join(published, 'package.json'), JSON.stringify(manifest))
    writeFileSync(join(published, 'package-lock.json'), JSON.stringify(lockfile))
    const document = JSON.parse(npmSbom(published))
    delete document.serialNumber
    delete document.metadata.timestamp
    delete document.metadata.tools
    return `${JSON.stringify(document, null, 1)}\n`
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

/** The places in a lockfile of the packages that an install of these names brings, on any system. */
export function neededPackages(locked, names) {
  const places = new Set()
  const open = names.map((name) => ['', name])
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    const place = placeOf(locked, ...next)
    if (place === undefined || places.has(place)) continue
    places.add(place)
    const { dependencies, optionalDependencies, peerDependencies = {}, peerDependenciesMeta = {} } = locked[place]
    const peers = Object.keys(peerDependencies).filter((name) => peerDependenciesMeta[name]?.optional !== true)
    for (const name of [...Object.keys({ ...dependencies, ...optionalDependencies }), ...peers])
      open.push([place, name])
  }
  return places
}

/** As Node looks for it: beside the package that needs it, then further out. */
function placeOf(locked, from, name) {
  for (let end = from.length; ; end = from.lastIndexOf('node_modules/', end - 1)) {
    const place = `${from.slice(0, end).replace(/[^/]$/, '$&/')}node_modules/${name}`
    if (place in locked) return place
    if (end === 0) return undefined
  }
}

function readJson(name) {
  return JSON.parse(readFileSync(join(root, name), 'utf8'))
}

function npmSbom(cwd) {
  const { file, words, shell } = npmProgram()
  const asked = [...words, 'sbom', '--sbom-format', 'cyclonedx', '--package-lock-only']
  const options = { cwd, encoding: 'utf8', maxBuffer: 64 * 1024 * 1024, shell }
  const { status, stdout, stderr, error } = spawnSync(file, asked, options)
  if (status !== 0) throw new Error(`npm sbom failed: ${error?.message ?? stderr}`)
  return stdout
}
