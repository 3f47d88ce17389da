import type { SettingsWarning } from '../../capability.ts'
import { stat } from 'node:fs/promises'
import { withTexts } from './key.ts'
import type { LoadedConfiguration } from './load.ts'
import type { ConfigurationProblem } from './problem.ts'
import type { ConfigurationSchema } from './schema.ts'
import type { Configuration } from './configuration.ts'
import { unknownNames, unknownVariables } from './unknown-names.ts'
import { unusedValues } from './unused-values.ts'
import type { Environment } from './value.ts'

/**
 * What is odd about a configuration that has no problem: names that nothing has, paths where nothing is, values that
 * have no effect beside others, and variables that set nothing. `foreword start` and `foreword doctor` list it. Looks at
 * the disk and sends no request.
 */
export async function configurationWarnings(
  { configuration, origins, schema }: LoadedConfiguration,
  environment: Environment,
): Promise<readonly ConfigurationProblem[]> {
  const odd = [
    ...unknownNames(configuration, schema),
    ...unusedValues(configuration, environment, schema),
    ...(await missingPaths(configuration, schema, origins)),
  ]
  const placed = odd.map((warning) => ({ ...warning, place: findOrigin(warning.key, origins) }))
  return [...placed, ...unknownVariables(environment, configuration, schema.json)]
}

function findOrigin(key: string, origins: LoadedConfiguration['origins']): string {
  for (let at = key; at !== ''; at = at.slice(0, Math.max(0, at.lastIndexOf('.')))) {
    const inner = origins[at] ?? Object.entries(origins).find(([other]) => other.startsWith(`${at}.`))?.[1]
    if (inner !== undefined) return inner
  }
  return 'config.json'
}

/** Files and folders that somebody named and that are not there. Those that are nobody's choice need not be there. */
async function missingPaths(
  configuration: Configuration,
  schema: ConfigurationSchema,
  origins: LoadedConfiguration['origins'],
): Promise<readonly SettingsWarning[]> {
  const named: Promise<SettingsWarning | undefined>[] = []
  withTexts(schema.whole, configuration, (place, { path, whenMissing }, names) => {
    const key = names.join('.')
    if (typeof path === 'string' && Object.hasOwn(origins, key)) named.push(checkPath(key, place, path, whenMissing))
    return place
  })
  const found = await Promise.all(named)
  return found.filter((warning) => warning !== undefined)
}

async function checkPath(
  key: string,
  path: string,
  kind: 'file' | 'folder',
  hint = 'Create it, or name another one.',
): Promise<SettingsWarning | undefined> {
  const found = await stat(path).catch(() => undefined)
  if (found === undefined) return { key, message: `names the ${kind} ${path}, which does not exist`, hint }
  if (kind === 'folder' && !found.isDirectory()) {
    return { key, message: `names ${path}, which is not a folder`, hint: 'Name the folder.' }
  }
  if (kind === 'file' && found.isDirectory())
    return { key, message: `names ${path}, which is a folder`, hint: 'Name the file.' }
  return undefined
}
