import { setTimeout as delay } from 'node:timers/promises'
import { createModels, type ModelsSettings } from '../model.ts'

/** A start does not wait longer for what a model's server says, ms. */
const GLANCE_MS = 200

/**
 * Why the configured model cannot be used, as far as that can be seen at a glance: no such provider, no key, no address, or
 * a server that answers at once. Makes no call. `undefined` where nothing is known to be wrong.
 */
export async function unusableModel(
  configured: string | undefined,
  settings: ModelsSettings,
): Promise<string | undefined> {
  if (configured === undefined) return undefined
  const looked = createModels(settings)
    .model(configured)
    .then(
      () => undefined,
      (error: unknown) => `${configured} cannot be used: ${error instanceof Error ? error.message : String(error)}`,
    )
  const waited = new AbortController()
  try {
    return await Promise.race([looked, delay(GLANCE_MS, undefined, { signal: waited.signal })])
  } finally {
    waited.abort()
  }
}
