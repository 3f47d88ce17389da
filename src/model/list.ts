import { catalogFacts } from './catalog.ts'
import type { ModelsSettings } from './configuration.ts'
import { ModelError } from './model-error.ts'
import type { Place } from './place.ts'
import { redact } from './redact.ts'
import { REHEARSAL_WINDOW } from './rehearsal.ts'

/** A model that can be chosen, or a provider that cannot be used as it is. */
export interface ModelListing {
  /** `provider/model`; the provider's name alone where it has nothing to offer now. */
  readonly id: string
  readonly ready: boolean
  /** Why it is not ready, and how to mend it. */
  readonly why?: string
  /** Tokens, where that is known without asking. */
  readonly window?: number
}

/** Models of all providers, in the order of the configuration. Providers are asked side by side. */
export async function listModels(all: readonly Place[], settings: ModelsSettings): Promise<readonly ModelListing[]> {
  return (await Promise.all(all.map((place) => listPlace(place, settings)))).flat()
}

async function listPlace(place: Place, settings: ModelsSettings): Promise<readonly ModelListing[]> {
  const { provider, kind } = place
  if (kind === 'rehearsal')
    return [{ id: provider, ready: true, window: settings.models?.[provider]?.window ?? REHEARSAL_WINDOW }]
  let key: string | undefined
  try {
    key = await place.key()
    return (await place.names()).map((name) => {
      const id = `${provider}/${name}`
      const window = settings.models?.[id]?.window ?? catalogFacts(kind, name)?.window
      return { id, ready: true, ...(window === undefined ? {} : { window }) }
    })
  } catch (error) {
    return [{ id: provider, ready: false, why: whyNot(error, place, key) }]
  }
}

function whyNot(error: unknown, { kind, provider, baseURL }: Place, key: string | undefined): string {
  if (error instanceof ModelError) return error.message
  if (kind === 'ollama') return `Ollama does not answer at ${baseURL}: start it with \`ollama serve\``
  return `${provider} does not answer at ${baseURL}: ${redact(String(error), key ? [key] : [])}`
}
