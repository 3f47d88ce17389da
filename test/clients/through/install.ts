import { spawnSync } from 'node:child_process'
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { homedir } from 'node:os'
import { join } from 'node:path'

/** Where programs are kept from one run to the next, outside of the repository. */
export function clientCache(environment: Readonly<Record<string, string | undefined>>): string {
  return join(environment['XDG_CACHE_HOME'] ?? join(homedir(), '.cache'), 'foreword-clients')
}

/** Installs packages into a folder, unless it has them in these versions. Returns the folder of their commands. */
export function installInto(folder: string, packages: readonly string[]): string {
  const commands = join(folder, 'node_modules/.bin')
  if (packages.every((name) => isInstalled(folder, name))) return commands
  mkdirSync(folder, { recursive: true })
  if (!existsSync(join(folder, 'package.json'))) writeFileSync(join(folder, 'package.json'), '{ "private": true }\n')
  console.log(`installing ${packages.join(', ')} into ${folder}`)
  const { status } = spawnSync('npm', ['install', '--no-audit', '--no-fund', '--loglevel=error', ...packages], {
    cwd: folder,
    stdio: 'inherit',
  })
  if (status !== 0) throw new Error(`npm install ended with ${status}`)
  return commands
}

function isInstalled(folder: string, name: string): boolean {
  const at = name.lastIndexOf('@')
  const file = join(folder, 'node_modules', name.slice(0, at), 'package.json')
  return (
    existsSync(file) && (JSON.parse(readFileSync(file, 'utf8')) as { version: string }).version === name.slice(at + 1)
  )
}
