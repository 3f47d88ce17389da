import type { ModelFacts } from './model.ts'
import type { Timeouts } from './timeouts.ts'

/** One entry of `providers` in the configuration (docs/guide/configuration.md). A key is named, never written here. */
export interface ProviderConfiguration {
  /** The `kind` of a known provider. */
  readonly kind: string
  readonly baseURL?: string
  /** The environment variable that holds the key; the provider's own variables unless given. */
  readonly apiKeyEnv?: string
  /** The file that holds the key, by its whole path. */
  readonly apiKeyFile?: string
  readonly headers?: Readonly<Record<string, string>>
  readonly timeouts?: Partial<Timeouts>
  /** What the provider's own `settings` describe. */
  readonly [setting: string]: unknown
}

/** One entry of `models` in the configuration. What is given wins over the catalog and the provider's own answer. */
export type ModelConfiguration = Partial<Omit<ModelFacts, 'source' | 'date' | 'assumed'>>

export type Environment = Readonly<Record<string, string | undefined>>
