import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
// @ts-expect-error A script without types.
import { neededPackages } from '../sbom.mjs'

/** What an install of the package brings, besides the package itself. */
export interface InstallCounts {
  readonly packages: number
  /** Bytes of their files. */
  readonly bytes: number
}

/**
 * The packages that an install of a package with these dependencies brings, by the lockfile. One for another system is listed there and not
 * installed: it is left out.
 */
export function installCounts(root: string, dependencies: readonly string[]): InstallCounts {
  const { packages: locked } = JSON.parse(readFileSync(join(root, 'package-lock.json'), 'utf8')) as {
    readonly packages: object
  }
  const needed = neededPackages(locked, dependencies) as ReadonlySet<string>
  const paths = [...needed].filter((path) => existsSync(join(root, path)))
  const bytes = paths.reduce((sum, path) => sum + folderBytes(join(root, path)), 0)
  return { packages: paths.length, bytes }
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
