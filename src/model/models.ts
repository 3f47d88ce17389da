import { isDeepStrictEqual } from 'node:util'
import { z } from 'zod'
import { type Clock, defined } from '../platform.ts'
import { assumedFacts, catalogFacts, isOwnAddress, mergeFacts } from './catalog.ts'
import { type Connected, connectProvider, listProviderModels, QUESTION_MS } from './connection.ts'
import { fromLanguageModel } from './language-model.ts'
import { type Choice, chooseModel, listedFacts, listModels, type ModelListing, waysToAttach } from './list-models.ts'
import { ModelError } from './model-error.ts'
import type { Model, ModelConfiguration, ModelFacts } from './model.ts'
import {
  type Environment,
  httpModelSettings,
  type ModelSettings,
  type Provider,
  type ProviderConfiguration,
} from './provider.ts'
import { PLAIN_WIRE, type SdkLanguageModel, streamingModel } from './sdk-model.ts'
import type { Fetch } from './wire-fetch.ts'
import { toModelError } from './provider-failure.ts'

export interface ModelsSettings {
  /** The available providers. An entry of `providers` names the `kind` of one of them. */
  readonly known: readonly Provider[]
  /** Entries of the configuration, by name. One with the name of a built-in provider replaces it. Read at each use: they may change. */
  readonly providers?: Readonly<Record<string, ProviderConfiguration>>
  /** By id, such as `ollama/llama3.2`. */
  readonly models?: Readonly<Record<string, ModelConfiguration>>
  /** The only source of keys and addresses. */
  readonly environment?: Environment
  readonly fetch?: Fetch
  readonly clock: Clock
}

/** Every model that a configuration reaches. */
export interface Models {
  /** Opens the model with this id. Rejects with a `ModelError` that names the available models and how to attach others. */
  model(id: string): Promise<Model>
  /**
   * Passes a request for embeddings on, in OpenAI's format, to the provider of `id`, and returns its answer as it is. Rejects with
   * a `ModelError`.
   */
  embeddings(id: string, body: Readonly<Record<string, unknown>>): Promise<unknown>
  /** All available models, and the unusable providers with the reason. */
  list(): Promise<readonly ModelListing[]>
  /** The default: a local model, else one with a key, else a stand-in. */
  choose(): Promise<Choice>
  /** What is known of a model without asking its provider: by the catalog and the configuration. */
  knownFacts(id: string): ModelFacts | undefined
  /** The server of a provider, by its name in the configuration. Absent: there is none of this name. */
  server(provider: string): ProviderServer | undefined
}

/** Where a provider is, for requests that are passed on to it as they are. */
export interface ProviderServer {
  /** Its name in the configuration. */
  readonly name: string
  /** Without a slash at its end; empty where it runs inside this process or has no valid address. */
  readonly baseURL: string
  readonly headers: Readonly<Record<string, string>>
  /** See `Provider.keyHeader`. */
  readonly keyHeader?: string | undefined
  /** See `Provider.calls`. */
  readonly calls?: readonly string[] | undefined
  /** The key; `undefined` if none is needed. Rejects with a `ModelError` where it is missing. */
  key(): Promise<string | undefined>
}

/** The models of a configuration. Facts from a server are cached for as long as the configuration of its provider is the same. */
export function createModels(settings: ModelsSettings): Models {
  const { known, models = {} } = settings
  const cache = new Map<string, { readonly of: ProviderConfiguration; readonly facts: ModelFacts }>()
  const cached = (id: string, { connection }: Connected): ModelFacts | undefined => {
    const found = cache.get(id)
    return isDeepStrictEqual(found?.of, connection.configuration) ? found?.facts : undefined
  }

  const facts = async (id: string, connected: Connected, name: string): Promise<ModelFacts> => {
    const before = cached(id, connected)
    if (before) return before
    const found = await findFacts(connected, name)
    const whole = configured(adjusted(found.facts, connected), models[id], connected)
    if (found.isFinal) cache.set(id, { of: connected.connection.configuration, facts: whole })
    return whole
  }

  const open = async (id: string, { provider, connection }: Connected, name: string, own: ModelFacts) => {
    const { configuration, baseURL, fetch, clock } = connection
    const { headers, timeouts } = configuration
    const apiKey = provider.connects === false ? undefined : await connection.key()
    return openModel(provider, {
      provider: connection.name,
      model: name,
      facts: own,
      configured: models[id] ?? {},
      baseURL,
      fetch,
      clock,
      options: parseSettings(provider, connection.name, configuration),
      ...defined({ apiKey, headers, timeouts }),
    })
  }

  const openOnly = (id: string, connected: Connected, name: string) =>
    open(id, connected, name, configured(assumedFacts(name), models[id], connected))

  const connectedTo = (name: string) => connections(settings).find(({ connection }) => connection.name === name)
  const find = (id: string) => {
    const [name = id, ...rest] = id.split('/')
    const connected = connectedTo(name)
    if (!connected) throw unknownProvider(id, connections(settings), known)
    return { name, model: rest.join('/'), connected }
  }

  return {
    async embeddings(id, body) {
      const { model, connected } = find(id)
      return passEmbeddings(connected, model, body)
    },
    async model(id) {
      const { name, model, connected } = find(id)
      if (connected.provider.onlyModel) return openOnly(id, connected, model)
      if (model !== '') return open(id, connected, model, await facts(id, connected, model))
      const names = (await listProviderModels(connected).catch(() => [])).map((listed) => listed.name)
      const there = names.length > 0 ? ` It has: ${names.join(', ')}.` : ''
      const message = `"${name}" names a provider, not a model: write ${name}/MODEL.${there}`
      throw new ModelError('model-not-found', message, { provider: name, model: '' })
    },
    list: () =>
      listModels(connections(settings), models, async (id, connected, listed) => {
        if (connected.provider.onlyModel) return (await openOnly(id, connected, listed.name)).facts
        if (listed.facts) return cached(id, connected) ?? configured(listed.facts, models[id], connected)
        return facts(id, connected, listed.name).catch(() => undefined)
      }),
    knownFacts(id) {
      const [provider = id, ...rest] = id.split('/')
      const found = connectedTo(provider)
      if (!found || rest.length === 0) return undefined
      const before = cached(id, found)
      if (before) return before
      const [name, own] = [rest.join('/'), models[id]]
      const cataloged = cataloguedFacts(found, name)
      if (cataloged) return configured(adjusted(cataloged, found), own, found)
      return own?.price || own?.window !== undefined ? configured(assumedFacts(name), own, found) : undefined
    },
    server(name) {
      const found = connectedTo(name)
      if (!found) return undefined
      const { baseURL, configuration, key } = found.connection
      const { keyHeader, calls } = found.provider
      return { name, baseURL, headers: configuration.headers ?? {}, keyHeader, calls, key }
    },
    choose: () => chooseModel(connections(settings), waysToAttach(known)),
  }
}

/** Built-in entries of these providers, as if they were configured. */
export function builtInProviders(known: readonly Provider[]): Readonly<Record<string, ProviderConfiguration>> {
  return Object.fromEntries(known.filter(({ builtIn }) => builtIn).map(({ kind }) => [kind, { kind }]))
}

/** The built-in entries and the configured ones. */
function connections(settings: ModelsSettings): readonly Connected[] {
  const { known, providers, environment = {}, fetch = globalThis.fetch, clock } = settings
  return Object.entries({ ...builtInProviders(known), ...providers }).map(([name, configuration]) => {
    const provider =
      known.find(({ kind }) => kind === configuration.kind) ?? unknownKind(name, configuration.kind, known)
    return { provider, connection: connectProvider(provider, name, configuration, { environment, fetch, clock }) }
  })
}

/** Facts from the catalog, from the provider, or assumed ones, and whether they stay the same. */
async function findFacts(
  connected: Connected,
  name: string,
): Promise<{ readonly facts: ModelFacts; readonly isFinal: boolean }> {
  const { provider, connection } = connected
  const cataloged = cataloguedFacts(connected, name)
  // Its price may be another one tomorrow.
  if (cataloged) return { facts: cataloged, isFinal: false }
  try {
    const facts = provider.facts
      ? await provider.facts(connection, name, QUESTION_MS)
      : listedFacts((await provider.list?.(connection, QUESTION_MS)) ?? [], name)
    return { facts, isFinal: true }
  } catch (error) {
    if (error instanceof ModelError) throw error
    return { facts: assumedFacts(name), isFinal: false }
  }
}

function cataloguedFacts({ provider, connection }: Connected, name: string): ModelFacts | undefined {
  const { baseURL, clock } = connection
  return catalogFacts(provider.catalog, name, { host: URL.parse(baseURL)?.host, time: clock.time() })
}

/** What the settings of the entry change. */
function adjusted(found: ModelFacts, { provider, connection }: Connected): ModelFacts {
  if (!provider.adjustFacts) return found
  const { name, configuration, official } = connection
  return provider.adjustFacts(found, { official, options: parseSettings(provider, name, configuration) as never })
}

/** Configured facts win. Without a price, the address says whether the model is free. */
function configured(found: ModelFacts, entry: ModelConfiguration | undefined, { connection }: Connected): ModelFacts {
  const { fallback: _, ...own } = entry ?? {}
  const facts = mergeFacts(found, own.window === undefined ? own : { ...own, source: 'configuration' })
  return facts.price || facts.free !== undefined || !isOwnAddress(connection.baseURL) ? facts : { ...facts, free: true }
}

function parseSettings(provider: Provider, name: string, configuration: ProviderConfiguration): unknown {
  const read = z.object(provider.settings ?? {}).safeParse(configuration)
  if (read.success) return read.data
  const [first] = read.error.issues
  const message = `providers.${[name, ...(first?.path ?? [])].join('.')} cannot be used: ${first?.message}`
  throw new ModelError('bad-request', message, { provider: name, model: '' })
}

/** A provider of an unknown kind. It fails only if it is used: the others still work. */
function unknownKind(name: string, kind: string, known: readonly Provider[]): Provider {
  const fail = (): never => {
    const kinds = known.map((provider) => provider.kind).join(', ')
    const message = `providers.${name}.kind is ${JSON.stringify(kind)}, which is not known. Known kinds: ${kinds}.`
    throw new ModelError('bad-request', message, { provider: name, model: '' })
  }
  return { kind, open: fail, list: async () => fail(), facts: async () => fail() }
}

function unknownProvider(id: string, all: readonly Connected[], known: readonly Provider[]): ModelError {
  const names = all.map(({ connection }) => connection.name).join(', ')
  const [name = id] = id.split('/')
  if (name === id) {
    const message = `Unknown model "${id}". The providers are: ${names}.`
    const hint = 'Write PROVIDER/MODEL. `foreword models` and GET /api/models list the models.'
    return new ModelError('model-not-found', message, { provider: '', model: id }, { hint })
  }
  const server = known.find(({ needsBaseURL }) => needsBaseURL)
  const attach = server
    ? ` To attach a server of your own, write in config.json: "providers": {"${name}": {"kind": "${server.kind}", "baseURL": "http://127.0.0.1:1234/v1"}}.`
    : ''
  return new ModelError(
    'model-not-found',
    `Unknown provider "${name}" in the model "${id}". The providers are: ${names}.${attach}`,
    { provider: name, model: id.slice(name.length + 1) },
    { hint: 'Write PROVIDER/MODEL.' },
  )
}

/** Opens a model of a provider. A language model of the AI SDK becomes a `Model`. */
async function openModel(provider: Provider, settings: ModelSettings): Promise<Model> {
  let usesFetch = false
  const opened = await provider.open({
    ...settings,
    // A provider that never reads it uses a fetch of its own.
    get fetch() {
      usesFetch = true
      return settings.fetch
    },
  } as OpenSettings)
  if (!('doStream' in opened)) return opened
  return fromLanguageModel({
    ...httpModelSettings(settings),
    // Its package may use another form of stream than server-sent events.
    stream: undefined,
    carries: provider.carries ?? PLAIN_WIRE,
    usesFetch,
    open: async (fetch) => {
      if (!usesFetch) return streamingModel(opened)
      return streamingModel((await provider.open({ ...settings, fetch } as OpenSettings)) as SdkLanguageModel)
    },
  })
}

/** The settings of the provider, which were checked against its `settings`. */
type OpenSettings = Parameters<Provider['open']>[0]

/** The longest wait for the vectors of one request, ms. */
const EMBEDDINGS_MS = 60_000

/** Asks a provider for embeddings in OpenAI's format, with its own name of the model in the body, and returns what it answered. */
async function passEmbeddings(
  { provider, connection }: Connected,
  model: string,
  body: Readonly<Record<string, unknown>>,
): Promise<unknown> {
  const names = { provider: connection.name, model }
  if (provider.connects === false || model === '') {
    throw new ModelError(
      'model-not-found',
      `${connection.name} has no embedding model. Name one as provider/model.`,
      names,
    )
  }
  const key = await connection.key()
  try {
    return await connection.ask(provider.embeddingsPath ?? '/embeddings', EMBEDDINGS_MS, { ...body, model })
  } catch (error) {
    throw toModelError(error, { ...names, secrets: key ? [key] : [] }, connection.clock.now())
  }
}
