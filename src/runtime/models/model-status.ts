import type { Models } from '../../model.ts'
import type { ModelStatus } from '../../capability.ts'
import { limitSentence } from './learned-limits.ts'
import type { ModelChoice } from './model-choice.ts'
import type { AssemblyContext } from '../calls/assembly-context.ts'

/** Every model that can be seen from here, the current one with its facts. */
export async function modelStatuses(
  models: Models,
  choice: ModelChoice,
  { calibration, limits }: Pick<AssemblyContext, 'calibration' | 'limits'>,
): Promise<readonly ModelStatus[]> {
  const [listed, current] = await Promise.all([models.list(), choice.current()])
  const known = listed.some((listing) => listing.id === current.id)
  const all = known ? listed : [{ id: current.id, ready: true }, ...listed]
  return Promise.all(
    all.map(async (listing): Promise<ModelStatus> => {
      const isCurrent = listing.id === current.id
      const model = isCurrent ? await choice.resolve(listing.id).catch(() => undefined) : undefined
      const learned = calibration.view(listing.id)
      const limit = limits.of(listing.id)
      return {
        ...listing,
        provider: listing.id.split('/')[0]!,
        current: isCurrent,
        ...(model ? { facts: model.facts } : {}),
        ...(learned ? { calibration: learned } : {}),
        ...(limit ? { limit: { ...limit, sentence: limitSentence(listing.id, limit) } } : {}),
      }
    }),
  )
}
