import { readFile } from 'node:fs/promises'
import { defined } from '../platform.ts'
import { askServer } from './ask.ts'
import type { Environment, ProviderConfiguration } from './configuration.ts'
import { ModelError } from './model-error.ts'
import type { ListedModel, Provider, ProviderConnection } from './provider.ts'
import type { Fetch } from './wire-fetch.ts'

/** A connection and the provider that made it. */
export interface Connected {
  readonly provider: Provider
  readonly connection: ProviderConnection
}

/** How long a question about models may take, ms. */
export const QUESTION_MS = 2000

interface ConnectionOptions {
  readonly environment: Environment
  readonly fetch: Fetch
}

export function connectProvider(
  provider: Provider,
  name: string,
  configuration: ProviderConfiguration,
  options: ConnectionOptions,
): ProviderConnection {
  const { environment, fetch } = options
  const { baseURL, problem } = addressOf(provider, name, configuration, environment)
  const connection: ProviderConnection = {
    name,
    configuration,
    baseURL,
    official: problem === undefined && baseURL === (provider.baseURL ?? ''),
    environment,
    fetch,
    async key() {
      if (problem) throw problem
      return keyOf(provider, connection)
    },
    async ask(path, milliseconds, body) {
      const apiKey = await connection.key()
      const { headers } = configuration
      return askServer({ baseURL, fetch, ...defined({ apiKey, headers }) }, path, milliseconds, body)
    },
  }
  return connection
}

/** Its models: what it lists, or its catalog. Throws what the server or the network says. */
export async function modelsOf(
  { provider, connection }: Connected,
  milliseconds = QUESTION_MS,
): Promise<readonly ListedModel[]> {
  return provider.list
    ? provider.list(connection, milliseconds)
    : (provider.catalog ?? []).map(({ id }) => ({ name: id }))
}

/** A bad address is an error where its provider is used: the others work all the same. */
function addressOf(
  provider: Provider,
  name: string,
  configuration: ProviderConfiguration,
  environment: Environment,
): { readonly baseURL: string; readonly problem?: ModelError } {
  const { baseURLVariable, readBaseURL = versionedURL } = provider
  if (provider.connects === false) return { baseURL: '' }
  const example = 'such as "http://127.0.0.1:1234/v1"'
  const problem = (message: string) => new ModelError('bad-request', message, { provider: name, model: '' })
  const given = configuration.baseURL ?? (baseURLVariable === undefined ? undefined : environment[baseURLVariable])
  if (given === undefined) {
    if (provider.needsBaseURL) return { baseURL: '', problem: problem(`providers.${name} needs a baseURL, ${example}`) }
    return { baseURL: provider.baseURL ?? '' }
  }
  try {
    return { baseURL: readBaseURL(given) }
  } catch {
    return { baseURL: '', problem: problem(`the address of ${name} is none: it is written ${example}`) }
  }
}

/** An address without a slash at its end. One without a path means the first version of the interface. */
export function versionedURL(address: string): string {
  const url = new URL(address)
  return url.pathname === '/' ? `${url.origin}/v1` : address.replace(/\/+$/, '')
}

async function keyOf(
  { kind, environmentKeys = [] }: Provider,
  { name, configuration, official, environment }: ProviderConnection,
): Promise<string | undefined> {
  const { apiKeyEnv, apiKeyFile } = configuration
  if (apiKeyFile !== undefined) return readKey(name, apiKeyFile)
  const variables = apiKeyEnv !== undefined ? [apiKeyEnv] : official || name === kind ? environmentKeys : []
  const key = variables.map((variable) => environment[variable]).find(Boolean)
  if (key) return key
  if (apiKeyEnv === undefined && !(official && environmentKeys.length > 0)) return undefined
  const message =
    `${name} needs a key: set ${variables.join(' or ')}, or providers.${name} in config.json to ` +
    `{"kind": "${kind}", "apiKeyFile": "PATH"}`
  throw new ModelError('auth', message, { provider: name, model: '' })
}

async function readKey(provider: string, file: string): Promise<string> {
  try {
    return (await readFile(file, 'utf8')).trim()
  } catch {
    const message = `the key of ${provider} cannot be read from ${file}: check providers.${provider}.apiKeyFile`
    throw new ModelError('auth', message, { provider, model: '' })
  }
}
