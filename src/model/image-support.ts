import type { ImageSupport } from '../context.ts'
import type { Model } from './model.ts'

/** Which images of a request reach a model: what it sees, and what its provider's wire carries. */
export function imageSupportOf({ facts, carries }: Pick<Model, 'facts' | 'carries'>): ImageSupport {
  const { resultImages: inResults = true, imageAddresses: byAddress = true } = carries ?? {}
  return { seen: facts.vision, inResults, byAddress }
}
