import { existsSync } from 'node:fs'
import { relative, resolve, sep } from 'node:path'
import type { Io } from '../../capability.ts'

/** Folders that the configuration of a home names and that are not in it, as absolute paths. They are not part of an archive. */
export async function outsideFolders(home: string, io: Io): Promise<readonly string[]> {
  const { loadConfiguration } = await import('../../runtime.ts')
  const { configuration } = await loadConfiguration({
    home,
    environment: io.environment,
    capabilities: io.capabilities ?? [],
  })
  const { skills, subjects, agent } = configuration
  const named = [skills.directory, ...skills.extraDirs, subjects.directory, subjects.tastes, agent.workspace]
  const folders = named.filter((path): path is string => path !== undefined).map((path) => resolve(home, path))
  return [...new Set(folders)].filter((path) => isOutside(home, path) && existsSync(path))
}

function isOutside(home: string, path: string): boolean {
  const way = relative(home, path)
  return way === '..' || way.startsWith(`..${sep}`) || resolve(way) === way
}
