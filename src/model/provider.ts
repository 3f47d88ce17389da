import type { Clock } from '../platform.ts'
import { z } from 'zod'
import type { Timeouts } from './call-limits.ts'
import type { CatalogRow } from './catalog.ts'
import type { LanguageModelSettings } from './language-model.ts'
import type { Model, ModelConfiguration, ModelFacts, WireCarriage } from './model.ts'
import type { SdkLanguageModel } from './sdk-model.ts'
import type { Fetch } from './wire-fetch.ts'

/**
 * A provider of models, as one value. `createModels` accepts a list of them. Only `kind` and `open` are required.
 */
export interface Provider<Settings extends z.ZodRawShape = z.ZodRawShape> {
  /** The `kind` of its entries in `providers` of the configuration. */
  readonly kind: string
  /** What people call it, where a person is asked to choose one: `Anthropic`. Without it nobody is asked. */
  readonly title?: string
  /** The page of the web where a person gets a key, or the program itself. */
  readonly website?: string
  /** The keys of its entries beyond `kind`, `baseURL`, `apiKeyEnv`, `apiKeyFile`, `headers` and `timeouts`. */
  readonly settings?: Settings
  /** An entry of the name `kind` exists without configuration. */
  readonly builtIn?: boolean

  /** The default address. An entry without an address of its own reaches the vendor there. */
  readonly baseURL?: string
  /** The environment variable that replaces the default address. */
  readonly baseURLVariable?: string
  /** An entry without `baseURL` cannot be used. */
  readonly needsBaseURL?: boolean
  /** Parses an address. Throws for an invalid one. Adds `/v1` to an address without a path unless given. */
  readBaseURL?(address: string): string
  /**
   * Environment variables with the key; the first that is set is used. They count at the default address, where a key is
   * then required, and for the entry with the name `kind`.
   */
  readonly environmentKeys?: readonly string[]
  /** Where its server answers for embeddings in OpenAI's format, below the address. `/embeddings` unless given. */
  readonly embeddingsPath?: string
  /** The header that its key is sent in, without `Bearer`: `x-api-key`. As a bearer token in `authorization` unless given. */
  readonly keyHeader?: string
  /**
   * Calls of its own API that other programs may make as they may make those of known formats, such as `POST /api/chat`. Only
   * calls that run models or describe them.
   */
  readonly calls?: readonly string[]
  /** `false`: it runs inside this process. Address, key, headers and timeouts have no effect. */
  readonly connects?: false
  /** It has one model, whose id is the provider's name. */
  readonly onlyModel?: true

  /** Opens one model: a `Model`, or a language model of the AI SDK. Called for every session; must not connect. */
  open(settings: ModelSettings<z.infer<z.ZodObject<Settings>>>): OpenedModel | Promise<OpenedModel>
  /** What its API can carry, if `open` returns a language model of the AI SDK. Only image bytes in messages unless given. */
  readonly carries?: WireCarriage

  /** Known facts of its models, at any address unless a row names its host. They win over the answer of a server. */
  readonly catalog?: readonly CatalogRow[]
  /**
   * Sends one small request that its server answers only with a right key. Asks for the list at `/models` unless given. Rejects
   * with the failure of the server or the network.
   */
  verify?(connection: ProviderConnection, milliseconds: number): Promise<unknown>
  /** Lists its models. The models of the catalog unless given. May throw: the message of a `ModelError` is shown. */
  list?(connection: ProviderConnection, milliseconds: number): Promise<readonly ListedModel[]>
  /**
   * Facts of a model that is not in the catalog. Those of `list` unless given. A `ModelError` means that the model cannot be
   * called; after any other failure facts are assumed until the next request.
   */
  facts?(connection: ProviderConnection, model: string, milliseconds: number): Promise<ModelFacts>

  /** Facts of a model under the settings of an entry, such as the longer life of its cache. Those of `models` in the configuration win. */
  adjustFacts?(facts: ModelFacts, entry: ProviderEntry<z.infer<z.ZodObject<Settings>>>): ModelFacts

  /** The default model, once there is a key. */
  readonly defaultModel?: { readonly name: string; readonly rank: number }
  /** Suggests default models. Must be quick; a failure means that there are none. */
  suggest?(connection: ProviderConnection, milliseconds: number): Promise<readonly Suggestion[]>
  /** It answers if no model is attached, with this reason. */
  readonly standIn?: string
  /** Commands, without the slash, that its models execute at the beginning of a line. */
  readonly script?: readonly string[]
  /** How to make it usable, such as "start the server (`serve`)". */
  readonly attach?: string
}

/** The models of a catalog, each once. */
export function catalogNames(rows: readonly CatalogRow[]): readonly ListedModel[] {
  return [...new Set(rows.map(({ id }) => id))].map((name) => ({ name }))
}

/** What the facts of a model can depend on. */
export interface ProviderEntry<Options = unknown> {
  /** At the provider's own address. */
  readonly official: boolean
  readonly options: Options
}

export type OpenedModel = Model | SdkLanguageModel

export interface ListedModel {
  readonly name: string
  /** Facts from the list of the server, if it has any. */
  readonly facts?: ModelFacts
}

/** A model that a provider suggests for sessions that choose none. */
export interface Suggestion {
  readonly name: string
  /** The reason, as a sentence for a start screen. */
  readonly why: string
  /** The lowest is used. 0: local with tools. 1: local. Higher: a paid service. */
  readonly rank: number
}

/** Checks a provider and infers the type of its settings. @throws RangeError for a kind with whitespace or a slash */
export function provider<Settings extends z.ZodRawShape = z.ZodRawShape>(
  value: Provider<Settings>,
): Provider<Settings> {
  if (!/^[^\s/]+$/.test(value.kind)) {
    throw new RangeError(`Invalid provider kind ${JSON.stringify(value.kind)}: remove whitespace and slashes.`)
  }
  return value
}

/** The settings of a provider with the two common chat APIs, Responses and Chat Completions. */
export const chatWireSettings = {
  api: z
    .enum(['responses', 'chat'])
    .optional()
    .describe('API that is used: `responses` at its own address and `chat` elsewhere, unless given.'),
}

/** Address, key and server of one entry of `providers`. */
export interface ProviderConnection {
  /** Its name in the configuration. */
  readonly name: string
  readonly configuration: ProviderConfiguration
  /** Without a slash at its end; empty where there is none. */
  readonly baseURL: string
  /** Whether it is the provider's default address, where the catalog applies. */
  readonly official: boolean
  readonly environment: Environment
  readonly fetch: Fetch
  readonly clock: Clock
  /** The key; `undefined` if none is needed. Throws a `ModelError` with the code `auth` if it is missing. */
  key(): Promise<string | undefined>
  /** Sends GET, or POST with a body, to a path below the address, with the key as a bearer token. Returns the JSON; throws `ResponseError`. */
  ask(path: string, milliseconds: number, body?: unknown): Promise<unknown>
}

/** One entry of `providers` in the configuration (docs/guide/configuration.md). It names the key and never contains it. */
export interface ProviderConfiguration {
  /** The `kind` of a known provider. */
  readonly kind: string
  readonly baseURL?: string
  /** The environment variable with the key; the provider's own variables unless given. */
  readonly apiKeyEnv?: string
  /** Absolute path of a file with the key. */
  readonly apiKeyFile?: string
  readonly headers?: Readonly<Record<string, string>>
  readonly timeouts?: Partial<Timeouts>
  /** Keys of the provider's own `settings`. */
  readonly [setting: string]: unknown
}

/** Environment variables by name. */
export type Environment = Readonly<Record<string, string | undefined>>

/** Everything that a provider needs to open one model. Nothing is read from the environment. */
export interface ModelSettings<Options = unknown> {
  /** The provider's name in the configuration. */
  readonly provider: string
  /** The provider's name for the model. Empty if it has only one. */
  readonly model: string
  readonly facts: ModelFacts
  /** The configured facts; already part of `facts`. */
  readonly configured: ModelConfiguration
  /** Empty if no address is configured and the provider has no default. */
  readonly baseURL: string
  readonly apiKey?: string
  readonly headers?: Readonly<Record<string, string>>
  /** Sends requests, and records a digest of each. */
  readonly fetch: Fetch
  readonly clock: Clock
  readonly timeouts?: Partial<Timeouts>
  /** The keys of the provider's own `settings`. */
  readonly options: Options
}

/** Settings of every model over HTTP. `timeouts`: the provider's own defaults. */
export function httpModelSettings(
  settings: ModelSettings,
  timeouts?: Timeouts,
): Pick<LanguageModelSettings, 'id' | 'clock' | 'facts' | 'secrets' | 'timeouts' | 'fetch' | 'stream' | 'address'> {
  const { provider: name, model, clock, facts, fetch, baseURL: address } = settings
  return {
    id: `${name}/${model}`,
    clock,
    facts,
    secrets: [...(settings.apiKey ? [settings.apiKey] : []), ...Object.values(settings.headers ?? {})],
    stream: 'events',
    address,
    timeouts: { ...timeouts, ...settings.timeouts },
    fetch,
  }
}
