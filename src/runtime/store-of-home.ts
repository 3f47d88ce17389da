import type { StoreDriver } from '../session.ts'
import type { Environment } from './configuration/environment.ts'
import { loadConfiguration } from './configuration/load.ts'
import { ConfigurationError } from './configuration/problem.ts'
import type { Configuration } from './configuration/settled.ts'
import { storeDrivers } from './store-drivers.ts'

/** @throws ConfigurationError that lists the known ones where none has this name */
export function storeDriver({ store }: Pick<Configuration, 'store'>, drivers = storeDrivers): StoreDriver {
  const found = drivers.find(({ name }) => name === store)
  if (found) return found
  const message = `must be one of ${drivers.map(({ name }) => name).join(', ')}`
  throw new ConfigurationError([{ key: 'store', place: 'configuration', message, hint: '' }])
}

/** The store that the configuration of a home names; the default one where the configuration has mistakes in it. */
export async function storeOfHome(
  home: string,
  environment: Environment,
  drivers: readonly StoreDriver[] = storeDrivers,
): Promise<StoreDriver> {
  const stores = drivers.map(({ name }) => name)
  const { configuration } = await loadConfiguration({ home, environment, stores })
  return storeDriver(configuration, drivers)
}
