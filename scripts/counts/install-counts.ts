import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'

/** What an install of the package brings, besides the package itself. */
export interface InstallCounts {
  readonly packages: number
  /** Bytes of their files. */
  readonly bytes: number
}

interface LockedPackage {
  readonly dependencies?: Readonly<Record<string, string>>
  readonly optionalDependencies?: Readonly<Record<string, string>>
  readonly peerDependencies?: Readonly<Record<string, string>>
  readonly peerDependenciesMeta?: Readonly<Record<string, { readonly optional?: boolean }>>
}

/**
 * The packages that an install of a package with these dependencies brings, by the lockfile. One for another system is listed there and not
 * installed: it is left out.
 */
export function installCounts(root: string, dependencies: readonly string[]): InstallCounts {
  const { packages: locked } = JSON.parse(readFileSync(join(root, 'package-lock.json'), 'utf8')) as {
    readonly packages: Readonly<Record<string, LockedPackage>>
  }
  const paths = new Set<string>()
  const open = ['']
  for (let path = open.pop(); path !== undefined; path = open.pop()) {
    for (const name of path === '' ? dependencies : neededNames(locked[path]!)) {
      const found = findPackage(locked, path, name)
      if (found === undefined || paths.has(found) || !existsSync(join(root, found))) continue
      paths.add(found)
      open.push(found)
    }
  }
  const bytes = [...paths].reduce((sum, path) => sum + folderBytes(join(root, path)), 0)
  return { packages: paths.size, bytes }
}

function neededNames({
  dependencies,
  optionalDependencies,
  peerDependencies = {},
  peerDependenciesMeta = {},
}: LockedPackage): readonly string[] {
  const peers = Object.keys(peerDependencies).filter((name) => peerDependenciesMeta[name]?.optional !== true)
  return [...Object.keys({ ...dependencies, ...optionalDependencies }), ...peers]
}

/** As Node looks for it: beside the package that needs it, then further out. */
function findPackage(locked: Readonly<Record<string, LockedPackage>>, from: string, name: string): string | undefined {
  for (let end = from.length; ; end = from.lastIndexOf('node_modules/', end - 1)) {
    const folder = from.slice(0, end).replace(/[^/]$/, '$&/')
    const path = `${folder}node_modules/${name}`
    if (path in locked) return path
    if (end === 0) return undefined
  }
}

/** Without the packages inside, which are counted on their own. */
export function folderBytes(folder: string): number {
  return readdirSync(folder, { withFileTypes: true }).reduce((sum, entry) => {
    if (entry.name === 'node_modules') return sum
    const path = join(folder, entry.name)
    if (entry.isDirectory()) return sum + folderBytes(path)
    return entry.isFile() ? sum + statSync(path).size : sum
  }, 0)
}
