import type { LanguageModelSettings } from '../language-model.ts'
import type { ModelFacts } from '../model.ts'
import type { Patience } from '../patience.ts'
import type { Fetch } from '../wire-fetch.ts'

/** All that a door to one model needs. Nothing is read from the environment. */
export interface DoorSettings {
  /** The provider's name in the configuration. */
  readonly provider: string
  /** The provider's name for the model. */
  readonly model: string
  readonly facts: ModelFacts
  readonly baseURL: string
  readonly apiKey?: string
  readonly headers?: Readonly<Record<string, string>>
  readonly fetch?: Fetch
  readonly patience?: Partial<Patience>
}

/** What every door to a model says of itself. `patience` is the door's own, where the configuration names none. */
export function commonSettings(
  settings: DoorSettings,
  patience?: Patience,
): Pick<LanguageModelSettings, 'id' | 'facts' | 'secrets' | 'patience' | 'fetch' | 'stream'> {
  const { provider, model, facts, fetch } = settings
  const patient = patience || settings.patience ? { patience: { ...patience, ...settings.patience } } : {}
  return {
    id: `${provider}/${model}`,
    facts,
    secrets: secretsOf(settings),
    stream: 'events',
    ...patient,
    ...(fetch ? { fetch } : {}),
  }
}

/** What must not be repeated in an error: the key, and every header that was configured. */
function secretsOf({ apiKey, headers }: DoorSettings): readonly string[] {
  return [...(apiKey ? [apiKey] : []), ...Object.values(headers ?? {})]
}
