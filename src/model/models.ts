import { z } from 'zod'
import { assumedFacts, catalogFacts, withTold } from './catalog.ts'
import { type Choice, choose, waysToAttach } from './choose.ts'
import type { Environment, ModelConfiguration, ProviderConfiguration } from './configuration.ts'
import { connect, type Connected, modelsOf, QUESTION_MS } from './connection.ts'
import { listModels, type ModelListing } from './list.ts'
import { ModelError } from './model-error.ts'
import type { Model, ModelFacts } from './model.ts'
import { listedFacts } from './openai-model-list.ts'
import { openModel } from './open-model.ts'
import type { Provider } from './provider.ts'
import type { Fetch } from './wire-fetch.ts'

export interface ModelsSettings {
  /** The providers that there are. An entry of `providers` has the `kind` of one of them. */
  readonly known: readonly Provider[]
  /** Entries of the configuration, by name. One with the name of a built-in provider replaces it. */
  readonly providers?: Readonly<Record<string, ProviderConfiguration>>
  /** By whole id, such as `ollama/llama3.2`. */
  readonly models?: Readonly<Record<string, ModelConfiguration>>
  /** Keys and addresses are looked up here, and nowhere else. */
  readonly environment?: Environment
  readonly fetch?: Fetch
}

/** Every model that a configuration reaches. */
export interface Models {
  /** The model of this id. Throws `ModelError` that says what there is, and how to attach what is not. */
  model(id: string): Promise<Model>
  /** Every model that can be seen from here; providers that cannot be used say why. */
  list(): Promise<readonly ModelListing[]>
  /** What to use where nobody chose: something that runs here, then something with a key, then a stand-in. */
  choose(): Promise<Choice>
}

/** All models that a configuration reaches. Facts that a server told are remembered as long as this value lives. */
export function createModels(settings: ModelsSettings): Models {
  const { known, models = {} } = settings
  const remembered = new Map<string, ModelFacts>()

  const facts = async (id: string, connected: Connected, name: string): Promise<ModelFacts> => {
    const before = remembered.get(id)
    if (before) return before
    const found = await findFacts(connected, name)
    const whole = configured(found.facts, models[id])
    if (found.settled) remembered.set(id, whole)
    return whole
  }

  const open = async (id: string, { provider, connection }: Connected, name: string, own: ModelFacts) => {
    const { configuration, baseURL, fetch } = connection
    const { headers, timeouts } = configuration
    const apiKey = provider.connects === false ? undefined : await connection.key()
    return openModel(provider, {
      provider: connection.name,
      model: name,
      facts: own,
      configured: models[id] ?? {},
      baseURL,
      fetch,
      options: optionsOf(provider, connection.name, configuration),
      ...(apiKey ? { apiKey } : {}),
      ...(headers ? { headers } : {}),
      ...(timeouts ? { timeouts } : {}),
    })
  }

  const openOnly = (id: string, connected: Connected, name: string) =>
    open(id, connected, name, configured(assumedFacts(name), models[id]))

  return {
    async model(id) {
      const all = connections(settings)
      const slash = id.indexOf('/')
      const [name, model] = slash < 0 ? [id, ''] : [id.slice(0, slash), id.slice(slash + 1)]
      const connected = all.find(({ connection }) => connection.name === name)
      if (!connected) throw unknownProvider(id, all, known)
      if (connected.provider.onlyModel) return openOnly(id, connected, model)
      if (model === '') throw unnamedModel(name, await namesOf(connected))
      return open(id, connected, model, await facts(id, connected, model))
    },
    list: () =>
      listModels(connections(settings), models, async (id, connected, listed) => {
        if (connected.provider.onlyModel) return (await openOnly(id, connected, listed.name)).facts
        if (listed.facts) return remembered.get(id) ?? configured(listed.facts, models[id])
        return facts(id, connected, listed.name).catch(() => undefined)
      }),
    choose: () => choose(connections(settings), waysToAttach(known)),
  }
}

/** Built-in entries of these providers, as if they were configured. */
export function builtInProviders(known: readonly Provider[]): Readonly<Record<string, ProviderConfiguration>> {
  return Object.fromEntries(known.filter(({ builtIn }) => builtIn).map(({ kind }) => [kind, { kind }]))
}

/** The built-in entries and the configured ones. */
function connections(settings: ModelsSettings): readonly Connected[] {
  const { known, providers, environment = {}, fetch = globalThis.fetch } = settings
  return Object.entries({ ...builtInProviders(known), ...providers }).map(([name, configuration]) => {
    const provider =
      known.find(({ kind }) => kind === configuration.kind) ?? unknownKind(name, configuration.kind, known)
    return { provider, connection: connect(provider, name, configuration, { environment, fetch }) }
  })
}

/** What is known of a model, and whether asking again could tell more: the catalog, the provider's own answer, or an assumption. */
async function findFacts(
  connected: Connected,
  name: string,
): Promise<{ readonly facts: ModelFacts; readonly settled: boolean }> {
  const { provider, connection } = connected
  const cataloged = catalogFacts(provider.catalog, name)
  if (cataloged) return { facts: cataloged, settled: true }
  // The catalog of a vendor is complete enough at its own address: nobody is asked.
  const assumed = assumedFacts(name)
  if (provider.catalog && connection.official) return { facts: assumed, settled: true }
  try {
    return { facts: await askedFacts(connected, name), settled: true }
  } catch (error) {
    if (error instanceof ModelError) throw error
    return { facts: assumed, settled: false }
  }
}

async function askedFacts(connected: Connected, name: string): Promise<ModelFacts> {
  const { provider, connection } = connected
  if (provider.facts) return provider.facts(connection, name, QUESTION_MS)
  return listedFacts(provider.list ? await provider.list(connection, QUESTION_MS) : [], name)
}

/** What the configuration says of a model wins. */
function configured(found: ModelFacts, own: ModelConfiguration | undefined): ModelFacts {
  if (!own) return found
  return withTold(found, own.window === undefined ? own : { ...own, source: 'configuration' })
}

function optionsOf(provider: Provider, name: string, configuration: ProviderConfiguration): unknown {
  const read = z.object(provider.settings ?? {}).safeParse(configuration)
  if (read.success) return read.data
  const [first] = read.error.issues
  const message = `providers.${[name, ...(first?.path ?? [])].join('.')} cannot be used: ${first?.message}`
  throw new ModelError('bad-request', message, { provider: name, model: '' })
}

async function namesOf(connected: Connected): Promise<readonly string[]> {
  return (await modelsOf(connected).catch(() => [])).map(({ name }) => name)
}

/** A provider of a kind that is not known. It fails when it is used: the others work all the same. */
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
  const server = known.find(({ needsBaseURL }) => needsBaseURL)
  const attach = server
    ? ` To attach a server of your own, write to config.json: "providers": {"${name}": {"kind": "${server.kind}", "baseURL": "http://127.0.0.1:1234/v1"}}`
    : ''
  return new ModelError(
    'model-not-found',
    `there is no provider "${name}" for the model "${id}". There are: ${names}. A model is named PROVIDER/MODEL.${attach}`,
    { provider: name, model: id.slice(name.length + 1) },
  )
}

function unnamedModel(provider: string, names: readonly string[]): ModelError {
  const there = names.length > 0 ? ` It has: ${names.join(', ')}.` : ''
  const message = `"${provider}" names a provider, not a model: write ${provider}/MODEL.${there}`
  return new ModelError('model-not-found', message, { provider, model: '' })
}
