import { existsSync, readFileSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { type Clock, defined, errorMessage } from '../../platform.ts'
import {
  databaseName,
  openStore,
  readStoreGateways,
  removeDatabaseStore,
  type LifeSigns,
  type SessionStore,
  startLifeSigns,
  StoreError,
  type StoreOptions,
  storePath,
} from '../../session.ts'
import { type Configuration, storeFields } from './configuration.ts'
import { loadConfiguration } from './load.ts'
import { ConfigurationError } from './problem.ts'
import type { Environment } from './value.ts'
import { homeAt, noteDatabase } from '../home/home.ts'

/** Where the store of a home is: a file, or a database and how it is reached. */
export type HomeStorePlace = Pick<
  StoreOptions,
  'path' | 'schema' | 'readers' | 'password' | 'tls' | 'authorities' | 'files'
>

/** How a configuration names a database. */
export type StoreSetting = NonNullable<Configuration['store']>

interface StoreSurroundings {
  readonly home: string
  readonly environment: Environment
}

/** Where the store of a home is as its configuration is now, for a command without a gateway. @throws ConfigurationError */
export async function homeStorePlace({ home, environment }: StoreSurroundings): Promise<HomeStorePlace> {
  if (!environment['FOREWORD_STORE'] && !textOf(home).includes('"store"')) return { path: storePath(homeAt(home).data) }
  const { configuration, problems } = await loadConfiguration({ home, environment, capabilities: [] })
  const wrong = problems.filter(({ key }) => key === '' || key === 'store' || key.startsWith('store.'))
  if (wrong.length > 0) throw new ConfigurationError(wrong)
  const { store } = configuration
  return store === undefined ? { path: storePath(homeAt(home).data) } : databasePlace(store, environment)
}

/** How the database of a configuration is reached. @throws ConfigurationError */
async function databasePlace(store: StoreSetting, environment: Environment): Promise<HomeStorePlace> {
  const {
    address: path,
    schema,
    readers,
    passwordEnv,
    passwordFile,
    tls,
    authoritiesFile,
    files,
  } = { ...EMPTY, ...storeFields(store) }
  const password =
    passwordFile === undefined ? environment[passwordEnv] : await readSecretFile('store.passwordFile', passwordFile)
  const authorities = authoritiesFile && (await readSecretFile('store.authoritiesFile', authoritiesFile))
  return {
    path,
    ...defined({ schema, readers, tls }),
    ...(password && { password }),
    ...(authorities && { authorities }),
    ...(files && { files: objectPlace(files, environment) }),
  }
}

const EMPTY = {
  schema: undefined,
  readers: undefined,
  passwordFile: undefined,
  tls: undefined,
  authoritiesFile: undefined,
  files: undefined,
}

/** @throws ConfigurationError where a key is missing */
function objectPlace(
  { address, region, accessKeyEnv, secretKeyEnv }: NonNullable<Exclude<StoreSetting, string>['files']>,
  environment: Environment,
): NonNullable<HomeStorePlace['files']> {
  const [accessKey, secretKey] = [accessKeyEnv, secretKeyEnv].map((name) => environment[name])
  if (!accessKey || !secretKey) {
    const missing = accessKey ? secretKeyEnv : accessKeyEnv
    const hint = `Set ${missing}, or name another variable.`
    const key = `store.files.${accessKey ? 'secretKeyEnv' : 'accessKeyEnv'}`
    throw new ConfigurationError([{ key, place: 'config.json', message: `names ${missing}, which is not set`, hint }])
  }
  return { address, region, accessKey, secretKey, ...defined({ sessionToken: environment['AWS_SESSION_TOKEN'] }) }
}

/** Opens the database of a home. `readOnly`: one that has no store yet is an empty one. */
export async function openHomeDatabase(
  home: string,
  store: StoreSetting,
  environment: Environment,
  options: Pick<StoreOptions, 'clock' | 'readOnly' | 'beside' | 'standby'>,
): Promise<SessionStore> {
  try {
    const place = await databasePlace(store, environment)
    const opened = await openStore({ ...place, ...options })
    if (!options.readOnly) await noteDatabase(home, databaseName({ ...place, address: place.path }))
    return opened
  } catch (error) {
    if (!options.readOnly || !(error instanceof StoreError) || error.code !== 'not-found') throw error
    return openStore({ path: ':memory:', clock: options.clock })
  }
}

/** Where a database is, with how it is reached. @throws ConfigurationError */
export async function databaseAddress(store: StoreSetting, environment: Environment) {
  const { path: address, ...place } = await databasePlace(store, environment)
  return { address, ...place }
}

/** Has this process give signs of life on a database until they are closed. */
export async function startHomeSigns(store: StoreSetting, environment: Environment, clock: Clock): Promise<LifeSigns> {
  return startLifeSigns(await databaseAddress(store, environment), clock)
}

/** Opens the database of a home to write something beside the gateway that has it, which does not keep that in memory. */
export async function openBeside(store: StoreSetting, environment: Environment, clock: Clock): Promise<SessionStore> {
  return openStore({ ...(await databasePlace(store, environment)), clock, beside: true })
}

async function readSecretFile(key: string, file: string): Promise<string> {
  try {
    return (await readFile(file, 'utf8')).trim()
  } catch (error) {
    const message = `names ${file}, which cannot be read: ${errorMessage(error)}`
    throw new ConfigurationError([{ key, place: 'config.json', message, hint: 'Correct the path or its permissions.' }])
  }
}

function textOf(home: string): string {
  const file = homeAt(home).configurationFile
  try {
    return existsSync(file) ? readFileSync(file, 'utf8') : ''
  } catch {
    return ''
  }
}

/** Removes the store of a home from its database, with everything in it, once no gateway has it any more. */
export async function removeHomeDatabase(store: StoreSetting, environment: Environment, clock: Clock): Promise<void> {
  await removeDatabaseStore(await databaseAddress(store, environment), clock)
}

/** The address of the gateway that has the store of a home in its database; `undefined` where none has, or it does not listen yet. */
export async function homeHolder(store: StoreSetting, environment: Environment): Promise<string | undefined> {
  const rows = await readStoreGateways(await databaseAddress(store, environment))
  return rows.find(({ state }) => state === 'active')?.address
}
