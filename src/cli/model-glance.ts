import { setTimeout as delay } from 'node:timers/promises'
import { createModels, type ModelFacts, type ModelsSettings } from '../model.ts'
import { errorMessage } from '../platform.ts'

/** A start does not wait longer for what a model's server says, ms. */
const GLANCE_MS = 200

/** What can be seen of a model at a glance; empty where its server takes its time. */
export interface ModelGlance {
  readonly facts?: ModelFacts
  /** Why it cannot be used: no such provider, no key, no address, or a server that says so at once. */
  readonly unusable?: string
}

/** Looks at a model without a call to it. */
export async function glanceAtModel(id: string, settings: ModelsSettings): Promise<ModelGlance> {
  const looked = createModels(settings)
    .model(id)
    .then(
      ({ facts }): ModelGlance => ({ facts }),
      (error: unknown) => ({
        unusable: `${id} cannot be used: ${errorMessage(error)}`,
      }),
    )
  const waited = new AbortController()
  try {
    return await Promise.race([looked, delay(GLANCE_MS, {}, { signal: waited.signal })])
  } finally {
    waited.abort()
  }
}
