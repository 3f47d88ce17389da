import { stat } from 'node:fs/promises'
import type { LoadedConfiguration } from './load.ts'
import type { ConfigurationSchema } from './schema.ts'
import { withTexts } from './setting-texts.ts'
import type { Configuration } from './settled.ts'
import type { ConfigurationWarning } from './configuration-warning.ts'

/** Files and folders that somebody named and that are not there. Those that are nobody's choice need not be there. */
export async function missingPaths(
  configuration: Configuration,
  schema: ConfigurationSchema,
  origins: LoadedConfiguration['origins'],
): Promise<readonly ConfigurationWarning[]> {
  const named: Promise<ConfigurationWarning | undefined>[] = []
  withTexts(schema.whole, configuration, (place, { path, whenMissing }, names) => {
    const key = names.join('.')
    if (typeof path === 'string' && Object.hasOwn(origins, key)) named.push(missing(key, place, path, whenMissing))
    return place
  })
  const found = await Promise.all(named)
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
