import type { z } from 'zod'
import type { CatalogRow } from './catalog.ts'
import type { ProviderConnection } from './connection.ts'
import type { Model, ModelFacts, WireCarriage } from './model.ts'
import type { ModelSettings } from './model-settings.ts'
import type { SdkLanguageModel } from './sdk-model.ts'

/**
 * One way to reach models, as one value. `createModels` is given a list of them; nothing else has to know a provider.
 * Only `kind` and `open` are required.
 */
export interface Provider<Settings extends z.ZodRawShape = z.ZodRawShape> {
  /** The `kind` of its entries in `providers` of the configuration. */
  readonly kind: string
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
  /** Reads an address. Throws for one that is none. Adds `/v1` to an address without a path unless given. */
  readBaseURL?(address: string): string
  /**
   * Environment variables that hold the key; the first that is set is used. They count at the default address, where a key
   * is then required, and for the entry whose name is `kind`.
   */
  readonly environmentKeys?: readonly string[]
  /** `false`: it runs inside this process. Address, key, headers and timeouts have no effect. */
  readonly connects?: false
  /** It has one model, which is named by the provider's name alone. */
  readonly onlyModel?: true

  /** Opens one model: a `Model`, or a language model of the AI SDK. Called anew for every session; must not connect. */
  open(settings: ModelSettings<z.infer<z.ZodObject<Settings>>>): Opened | Promise<Opened>
  /** What the wire has a place for, where `open` answers with a language model of the AI SDK. Bytes of images in messages unless given. */
  readonly carries?: WireCarriage

  /** What is known of its models without asking, at its default address and elsewhere. It wins over what a server says. */
  readonly catalog?: readonly CatalogRow[]
  /** Its models now. The models of the catalog unless given. May throw: the text of a `ModelError` is shown as it is. */
  list?(connection: ProviderConnection, milliseconds: number): Promise<readonly ListedModel[]>
  /**
   * Facts of a model that the catalog does not have. What `list` says of it unless given. A `ModelError` means that the
   * model cannot be called; after any other failure facts are assumed, and asked for again next time.
   */
  facts?(connection: ProviderConnection, model: string, milliseconds: number): Promise<ModelFacts>

  /** The model to use where nobody chose one, once there is a key. */
  readonly defaultModel?: { readonly name: string; readonly rank: number }
  /** Models to use where nobody chose one. Must be quick; a failure means that there are none. */
  suggest?(connection: ProviderConnection, milliseconds: number): Promise<readonly Suggestion[]>
  /** It answers where no model is attached, for this reason. */
  readonly standIn?: string
  /** Commands that its models act on where a line of a message begins with one, without their slash. */
  readonly script?: readonly string[]
  /** How to make it usable, for somebody who has attached no model, such as "start Ollama (`ollama serve`)". */
  readonly attach?: string
}

export type Opened = Model | SdkLanguageModel

export interface ListedModel {
  readonly name: string
  /** What the server says of it, where its list does. */
  readonly facts?: ModelFacts
}

export interface Suggestion {
  readonly name: string
  /** Reason, in a sentence for a start screen. */
  readonly why: string
  /** The lowest is used. 0: runs here and calls tools. 1: runs here. Higher: others pay for it. */
  readonly rank: number
}

/** Checks a provider, and infers what `open` gets from `settings`. */
export function provider<Settings extends z.ZodRawShape = z.ZodRawShape>(
  value: Provider<Settings>,
): Provider<Settings> {
  if (!/^[^\s/]+$/.test(value.kind)) {
    throw new RangeError(`the kind of a provider has no blank and no slash: ${JSON.stringify(value.kind)}`)
  }
  return value
}
