import { existsSync } from 'node:fs'
import { relative, resolve, sep } from 'node:path'
import { capabilitySettings, homeFolders } from '../configuration/configuration.ts'
import { loadConfiguration, type LoadOptions } from '../configuration/load.ts'

export async function outsideFolders(options: LoadOptions): Promise<readonly string[]> {
  const { home } = options
  const { configuration, capabilities } = await loadConfiguration(options)
  const places = capabilities.map((each) => each.places?.(capabilitySettings(configuration, each), home) ?? {})
  const folders = [
    ...places.flatMap(({ outOfReach = [], readOnly = [] }) => [...outOfReach, ...readOnly]),
    ...homeFolders(configuration, capabilities),
  ].map((path) => resolve(home, path))
  return [...new Set(folders)].filter((path) => isOutside(home, path) && existsSync(path))
}

function isOutside(home: string, path: string): boolean {
  const inside = relative(home, path)
  return inside === '..' || inside.startsWith(`..${sep}`) || resolve(inside) === inside
}
