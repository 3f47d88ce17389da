import type { ModelFacts } from './model.ts'
import type { Patience } from './patience.ts'
import type { Fetch } from './wire-fetch.ts'

export type ProviderKind = 'ollama' | 'openai' | 'anthropic' | 'openai-compatible' | 'rehearsal'

/** One entry of `providers` in the configuration (docs/guide/configuration.md). A key is named, never written here. */
export interface ProviderConfiguration {
  readonly kind: ProviderKind
  readonly baseURL?: string
  /** The environment variable that holds the key. `OPENAI_API_KEY` and `ANTHROPIC_API_KEY` where they belong, unless given. */
  readonly apiKeyEnv?: string
  /** The file that holds the key, by its whole path. */
  readonly apiKeyFile?: string
  readonly headers?: Readonly<Record<string, string>>
  /** Which wire of OpenAI's to speak. `responses` at OpenAI's own address, `chat` elsewhere, unless given. */
  readonly api?: 'responses' | 'chat'
  readonly timeouts?: Partial<Patience>
}

/** One entry of `models` in the configuration. What is given wins over the catalog and the provider's own answer. */
export type ModelConfiguration = Partial<Omit<ModelFacts, 'source' | 'date' | 'assumed'>>

export interface ModelsSettings {
  readonly providers?: Readonly<Record<string, ProviderConfiguration>>
  /** By whole id, such as `ollama/llama3.2`. */
  readonly models?: Readonly<Record<string, ModelConfiguration>>
  /** Keys and addresses are looked up here, and nowhere else. */
  readonly environment?: Readonly<Record<string, string | undefined>>
  readonly fetch?: Fetch
}

/** Providers that exist without configuration. An entry of the same name replaces one. */
export const BUILT_IN: Readonly<Record<string, ProviderConfiguration>> = {
  ollama: { kind: 'ollama' },
  openai: { kind: 'openai' },
  anthropic: { kind: 'anthropic' },
  rehearsal: { kind: 'rehearsal' },
}

/** Their names. */
export const BUILT_IN_PROVIDERS: readonly string[] = Object.keys(BUILT_IN)
