import { compatibleModels } from './compatible-models.ts'
import type { ModelsSettings } from './configuration.ts'
import { ModelError } from './model-error.ts'
import type { ModelFacts } from './model.ts'
import { type Place, QUESTION_MS } from './place.ts'
import { redact } from './redact.ts'
import { rehearsal } from './rehearsal.ts'

/** A model that can be chosen, or a provider that cannot be used as it is. */
export interface ModelListing {
  /** `provider/model`; the provider's name alone where it has nothing to offer now. */
  readonly id: string
  readonly ready: boolean
  /** Why it is not ready, and how to fix it. */
  readonly why?: string
  /** Tokens, where that is known without asking. */
  readonly window?: number
  /** What it can take and do, as far as the catalog, its server or the configuration says. */
  readonly facts?: ModelFacts
}

/** Facts of a model of this place; `undefined` where they cannot be had now. `told`: what a list of its server said. */
export type FactsFor = (id: string, place: Place, name: string, told?: ModelFacts) => Promise<ModelFacts | undefined>

/** Models of all providers, in the order of the configuration. Providers are asked side by side. */
export async function listModels(
  all: readonly Place[],
  settings: ModelsSettings,
  factsFor: FactsFor,
): Promise<readonly ModelListing[]> {
  return (await Promise.all(all.map((place) => listPlace(place, settings, factsFor)))).flat()
}

async function listPlace(place: Place, settings: ModelsSettings, factsFor: FactsFor): Promise<readonly ModelListing[]> {
  const { provider, kind } = place
  if (kind === 'rehearsal') return [rehearsalListing(provider, settings)]
  let key: string | undefined
  try {
    key = await place.key()
    const found = await Promise.all(
      (await namesWithFacts(place)).map(async ({ name, told }) => {
        const id = `${provider}/${name}`
        const facts = await factsFor(id, place, name, told)
        const window = settings.models?.[id]?.window ?? (facts?.assumed?.includes('window') ? undefined : facts?.window)
        return { id, ready: true, ...(window === undefined ? {} : { window }), ...(facts ? { facts } : {}) }
      }),
    )
    return found
  } catch (error) {
    return [{ id: provider, ready: false, why: whyNot(error, place, key) }]
  }
}

function rehearsalListing(provider: string, { models }: ModelsSettings): ModelListing {
  const { facts } = rehearsal(models?.[provider] ?? {})
  return { id: provider, ready: true, window: facts.window, facts }
}

/** Servers that speak OpenAI's wire tell what they know of a model in their list. */
async function namesWithFacts(place: Place): Promise<readonly { readonly name: string; readonly told?: ModelFacts }[]> {
  if (place.kind !== 'openai-compatible') return (await place.names()).map((name) => ({ name }))
  const listed = await compatibleModels(await place.server(), QUESTION_MS)
  return listed.map(({ name, facts }) => ({ name, told: facts }))
}

function whyNot(error: unknown, { kind, provider, baseURL }: Place, key: string | undefined): string {
  if (error instanceof ModelError) return error.message
  if (kind === 'ollama') return `Ollama does not answer at ${baseURL}: start it with \`ollama serve\``
  return `${provider} does not answer at ${baseURL}: ${redact(String(error), key ? [key] : [])}`
}
