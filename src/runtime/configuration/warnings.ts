import type { Environment } from './environment.ts'
import type { LoadedConfiguration } from './load.ts'
import { missingPaths } from './missing-paths.ts'
import type { ConfigurationProblem } from './problem.ts'
import { unknownNames } from './unknown-names.ts'
import { unknownVariables } from './unknown-variables.ts'
import { unusedValues } from './unused-values.ts'

/**
 * What is odd about a configuration that has no problem: names that nothing has, paths where nothing is, values that
 * have no effect beside others, and variables that set nothing. `foreword start` and `foreword doctor` list it. Looks at
 * the disk, asks nobody.
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
  const placed = odd.map((warning) => ({ ...warning, place: placeOf(warning.key, origins) }))
  return [...placed, ...unknownVariables(environment, configuration, schema.json)]
}

/** Where a key was set; of one that is missing, the place of what misses it. */
function placeOf(key: string, origins: LoadedConfiguration['origins']): string {
  for (let at = key; at !== ''; at = at.slice(0, Math.max(0, at.lastIndexOf('.')))) {
    const inner = origins[at] ?? Object.entries(origins).find(([other]) => other.startsWith(`${at}.`))?.[1]
    if (inner !== undefined) return inner
  }
  return 'config.json'
}
