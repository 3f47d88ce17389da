import type { AnyCapability } from '../capability.ts'
import { sqliteDriver, type StoreDriver } from '../session.ts'
import type { Environment } from './configuration/value.ts'
import { loadConfiguration } from './configuration/load.ts'
import { ConfigurationError } from './configuration/problem.ts'
import type { Configuration } from './configuration/settled.ts'

/** @throws ConfigurationError that lists the known ones where none has this name */
export function storeDriver(
  { store }: Pick<Configuration, 'store'>,
  drivers: readonly StoreDriver[] = [sqliteDriver],
): StoreDriver {
  const found = drivers.find(({ name }) => name === store)
  if (found) return found
  const message = `must be one of ${drivers.map(({ name }) => name).join(', ')}`
  throw new ConfigurationError([{ key: 'store', place: 'configuration', message, hint: '' }])
}

/** The store that the configuration of a home names; the default one where the configuration has mistakes in it. */
export async function storeOfHome(
  home: string,
  environment: Environment,
  capabilities: readonly AnyCapability[],
): Promise<StoreDriver> {
  const { configuration, schema } = await loadConfiguration({ home, environment, capabilities })
  return storeDriver(configuration, schema.stores)
}
