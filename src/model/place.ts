import { readFile } from 'node:fs/promises'
import { addressOf } from './address.ts'
import type { Server } from './ask.ts'
import { CATALOG } from './catalog-data.ts'
import { compatibleModels } from './compatible-models.ts'
import { BUILT_IN, type ModelsSettings, type ProviderConfiguration, type ProviderKind } from './configuration.ts'
import { ModelError } from './model-error.ts'
import { ollamaNames } from './ollama-models.ts'
import { ANTHROPIC_URL } from './provider/anthropic.ts'
import { OPENAI_URL } from './provider/openai.ts'

type Environment = Readonly<Record<string, string | undefined>>

/** One provider with everything settled: where it is, how to get its key, what it has. */
export interface Place extends Omit<ProviderConfiguration, 'baseURL'> {
  readonly provider: string
  readonly kind: ProviderKind
  readonly baseURL: string
  /** Whether it is the vendor's own address, where the catalog is right. */
  readonly official: boolean
  readonly fetch: typeof globalThis.fetch
  /** Tokens that the environment asks Ollama to serve, if it does. */
  readonly chosenWindow: number | undefined
  /** The key, or `undefined` where none is needed. Throws `ModelError` of code `auth` for one that is missing. */
  key(): Promise<string | undefined>
  /** How its models are asked about. */
  server(): Promise<Server>
  /** Names of its models. Throws what the server or the network says. */
  names(milliseconds?: number): Promise<readonly string[]>
}

/** How long a question after models may take, ms. */
export const QUESTION_MS = 2000

/** The built-in providers and the configured ones. */
export function places(settings: ModelsSettings): readonly Place[] {
  return Object.entries({ ...BUILT_IN, ...settings.providers }).map(([name, given]) => placeOf(name, given, settings))
}

function placeOf(provider: string, given: ProviderConfiguration, settings: ModelsSettings): Place {
  const { environment = {}, fetch = globalThis.fetch } = settings
  const { baseURL, problem } = settledAddress(provider, given, environment)
  const place: Place = {
    ...given,
    provider,
    baseURL,
    official: baseURL === OPENAI_URL || baseURL === ANTHROPIC_URL,
    fetch,
    chosenWindow: Number(environment['OLLAMA_CONTEXT_LENGTH']) || undefined,
    async key() {
      if (problem) throw problem
      return keyOf(place, environment)
    },
    async server() {
      const key = await place.key()
      const { headers } = given
      return { baseURL, fetch, ...(key ? { apiKey: key } : {}), ...(headers ? { headers } : {}) }
    },
    names: (milliseconds = QUESTION_MS) => namesOf(place, milliseconds),
  }
  return place
}

/** A bad address is told when its provider is used: the others work all the same. */
function settledAddress(
  provider: string,
  given: ProviderConfiguration,
  environment: Environment,
): { readonly baseURL: string; readonly problem?: ModelError } {
  if (given.kind === 'rehearsal') return { baseURL: '' }
  const example = 'such as "http://127.0.0.1:1234/v1"'
  const problem = (message: string) => new ModelError('bad-request', message, { provider, model: '' })
  try {
    const baseURL = addressOf(given, environment)
    if (baseURL !== undefined) return { baseURL }
    return { baseURL: '', problem: problem(`providers.${provider} needs a baseURL, ${example}`) }
  } catch {
    return { baseURL: '', problem: problem(`the address of ${provider} is none: it is written ${example}`) }
  }
}

/** Variables that belong to the vendors' own addresses, and to a provider that has the vendor's name. */
const KEY_VARIABLES: Readonly<Record<string, string>> = { openai: 'OPENAI_API_KEY', anthropic: 'ANTHROPIC_API_KEY' }

async function keyOf(place: Place, environment: Environment): Promise<string | undefined> {
  const { provider, kind, apiKeyEnv, apiKeyFile, official } = place
  if (apiKeyFile !== undefined) return readKey(place, apiKeyFile)
  const variable = apiKeyEnv ?? (official || provider === kind ? KEY_VARIABLES[kind] : undefined)
  const key = variable === undefined ? undefined : environment[variable]
  if (key) return key
  if (!official && apiKeyEnv === undefined) return undefined
  const message =
    `${provider} needs a key: set ${variable}, or providers.${provider} in config.json to ` +
    `{"kind": "${kind}", "apiKeyFile": "PATH"}`
  throw new ModelError('auth', message, { provider, model: '' })
}

async function readKey({ provider }: Place, file: string): Promise<string> {
  try {
    return (await readFile(file, 'utf8')).trim()
  } catch {
    const message = `the key of ${provider} cannot be read from ${file}: check providers.${provider}.apiKeyFile`
    throw new ModelError('auth', message, { provider, model: '' })
  }
}

async function namesOf(place: Place, milliseconds: number): Promise<readonly string[]> {
  switch (place.kind) {
    case 'ollama':
      return ollamaNames(await place.server(), milliseconds)
    case 'openai-compatible':
      return (await compatibleModels(await place.server(), milliseconds)).map(({ name }) => name)
    case 'openai':
      if (!place.official) return (await compatibleModels(await place.server(), milliseconds)).map(({ name }) => name)
      return CATALOG.openai.map(({ id }) => id)
    case 'anthropic':
      return CATALOG.anthropic.map(({ id }) => id)
    case 'rehearsal':
      return []
  }
}
