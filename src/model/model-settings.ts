import type { ModelConfiguration } from './configuration.ts'
import type { LanguageModelSettings } from './language-model.ts'
import type { ModelFacts } from './model.ts'
import type { Timeouts } from './timeouts.ts'
import type { Fetch } from './wire-fetch.ts'

/** All that a provider needs to open one model. Nothing is read from the environment. */
export interface ModelSettings<Options = unknown> {
  /** The provider's name in the configuration. */
  readonly provider: string
  /** The provider's name for the model. Empty where it has only one. */
  readonly model: string
  readonly facts: ModelFacts
  /** What the configuration says of the model; already part of `facts`. */
  readonly configured: ModelConfiguration
  /** Empty where no address is configured and the provider has no default. */
  readonly baseURL: string
  readonly apiKey?: string
  readonly headers?: Readonly<Record<string, string>>
  /** Sends requests. What goes through it has a digest in the account of the call. */
  readonly fetch: Fetch
  readonly timeouts?: Partial<Timeouts>
  /** The keys of its entry that the provider's `settings` describe. */
  readonly options: Options
}

/** What every model over HTTP is made of. `timeouts`: the provider's own, where the configuration sets none. */
export function httpModelSettings(
  settings: ModelSettings,
  timeouts?: Timeouts,
): Pick<LanguageModelSettings, 'id' | 'facts' | 'secrets' | 'timeouts' | 'fetch' | 'stream'> {
  const { provider, model, facts, fetch } = settings
  return {
    id: `${provider}/${model}`,
    facts,
    secrets: secretsOf(settings),
    stream: 'events',
    timeouts: { ...timeouts, ...settings.timeouts },
    fetch,
  }
}

/** What must not be repeated in an error: the key, and every header that was configured. */
function secretsOf({ apiKey, headers }: ModelSettings): readonly string[] {
  return [...(apiKey ? [apiKey] : []), ...Object.values(headers ?? {})]
}
