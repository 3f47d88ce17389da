import { stat } from 'node:fs/promises'
import type { LoadedConfiguration } from './load.ts'
import type { Configuration } from './settled.ts'
import type { ConfigurationWarning } from './warnings.ts'

/** Files and folders that somebody named and that are not there. Those that are nobody's choice need not be there. */
export async function missingPaths(
  configuration: Configuration,
  origins: LoadedConfiguration['origins'],
): Promise<readonly ConfigurationWarning[]> {
  const { agent, channels, mcp, providers, skills, subjects } = configuration
  const isNamed = (key: string) => Object.hasOwn(origins, key)
  const folders: readonly (readonly [key: string, path: string, hint?: string])[] = [
    ['agent.workspace', agent.workspace, 'An empty one is made at the start. If you mean another folder, name that.'],
    ['skills.directory', skills.directory],
    ...skills.extraDirs.map((path) => ['skills.extraDirs', path] as const),
    ...skills.trustedDirs.map((path) => ['skills.trustedDirs', path] as const),
    ['subjects.directory', subjects.directory],
    ['subjects.tastes', subjects.tastes],
    ...Object.entries(mcp.servers).flatMap(([name, { directory }]) =>
      directory === undefined ? [] : [[`mcp.servers.${name}.directory`, directory] as const],
    ),
  ]
  const files: readonly (readonly [key: string, path: string])[] = [
    ...Object.entries(providers).flatMap(([name, { apiKeyFile }]) =>
      apiKeyFile === undefined ? [] : [[`providers.${name}.apiKeyFile`, apiKeyFile] as const],
    ),
    ...(channels.telegram?.tokenFile === undefined
      ? []
      : [['channels.telegram.tokenFile', channels.telegram.tokenFile] as const]),
  ]
  const found = await Promise.all([
    ...folders.filter(([key]) => isNamed(key)).map(([key, path, hint]) => missing(key, path, 'folder', hint)),
    ...files.map(([key, path]) => missing(key, path, 'file')),
  ])
  return found.filter((warning) => warning !== undefined)
}

async function missing(
  key: string,
  path: string,
  kind: 'file' | 'folder',
  hint = `Make it, or name another one.`,
): Promise<ConfigurationWarning | undefined> {
  const found = await stat(path).catch(() => undefined)
  if (found === undefined) return { key, message: `names the ${kind} ${path}, which is not there`, hint }
  if (kind === 'folder' && !found.isDirectory()) {
    return { key, message: `names ${path}, which is not a folder`, hint: 'Name the folder.' }
  }
  if (kind === 'file' && found.isDirectory())
    return { key, message: `names ${path}, which is a folder`, hint: 'Name the file.' }
  return undefined
}
