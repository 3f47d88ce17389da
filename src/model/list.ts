import type { ModelConfiguration } from './configuration.ts'
import { type Connected, modelsOf } from './connection.ts'
import { ModelError } from './model-error.ts'
import type { ModelFacts } from './model.ts'
import type { ListedModel } from './provider.ts'
import { redact } from './redact.ts'

/** A model that can be chosen, or a provider that cannot be used as it is. */
export interface ModelListing {
  /** `provider/model`; the provider's name alone where it has only one, or nothing to offer now. */
  readonly id: string
  readonly ready: boolean
  /** Why it is not ready, and how to change that. */
  readonly why?: string
  /** Tokens, where that is known without asking. */
  readonly window?: number
  /** What it can take and do, as far as the catalog, its server or the configuration says. */
  readonly facts?: ModelFacts
}

/** Facts of a model; `undefined` where they cannot be had now. */
export type FactsFor = (id: string, connected: Connected, listed: ListedModel) => Promise<ModelFacts | undefined>

/** Models of all providers, in the order of the configuration. Providers are asked side by side. */
export async function listModels(
  all: readonly Connected[],
  configured: Readonly<Record<string, ModelConfiguration>>,
  factsFor: FactsFor,
): Promise<readonly ModelListing[]> {
  const listing = async (id: string, connected: Connected, listed: ListedModel): Promise<ModelListing> => {
    const facts = await factsFor(id, connected, listed)
    const window = configured[id]?.window ?? (facts?.assumed?.includes('window') ? undefined : facts?.window)
    return { id, ready: true, ...(window === undefined ? {} : { window }), ...(facts ? { facts } : {}) }
  }
  return (await Promise.all(all.map((connected) => listProvider(connected, listing)))).flat()
}

async function listProvider(
  connected: Connected,
  listing: (id: string, connected: Connected, listed: ListedModel) => Promise<ModelListing>,
): Promise<readonly ModelListing[]> {
  const { provider, connection } = connected
  const { name: id, baseURL } = connection
  let key: string | undefined
  try {
    if (provider.onlyModel) return [await listing(id, connected, { name: '' })]
    key = await connection.key()
    const models = await modelsOf(connected)
    return await Promise.all(models.map((listed) => listing(`${id}/${listed.name}`, connected, listed)))
  } catch (error) {
    const why =
      error instanceof ModelError
        ? error.message
        : `${id} does not answer at ${baseURL}: ${redact(String(error), key ? [key] : [])}`
    return [{ id, ready: false, why }]
  }
}
