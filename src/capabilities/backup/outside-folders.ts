import { existsSync } from 'node:fs'
import { resolve } from 'node:path'
import { isWithin } from '../../platform.ts'
import { capabilitySettings, homeFolders, loadConfiguration } from '../../runtime.ts'

export async function outsideFolders(options: Parameters<typeof loadConfiguration>[0]): Promise<readonly string[]> {
  const { home } = options
  const { configuration, capabilities } = await loadConfiguration(options)
  const places = capabilities.map((each) => each.home?.places?.(capabilitySettings(configuration, each), home) ?? {})
  const folders = [
    ...places.flatMap(({ outOfReach = [], readOnly = [] }) => [...outOfReach, ...readOnly]),
    ...homeFolders(configuration, capabilities),
  ].map((path) => resolve(home, path))
  return [...new Set(folders)].filter((path) => !isWithin(resolve(home), path) && existsSync(path))
}
