import type { Models } from '../model.ts'
import type { CalibrationBook } from './calibration-book.ts'
import type { ModelStatus } from './contract.ts'
import type { ModelChoice } from './model-choice.ts'

/** Every model that can be seen from here, the current one with its facts. */
export async function modelStatuses(
  models: Models,
  choice: ModelChoice,
  calibration: CalibrationBook,
): Promise<readonly ModelStatus[]> {
  const [listed, current] = await Promise.all([models.list(), choice.current()])
  const known = listed.some((listing) => listing.id === current.id)
  const all = known ? listed : [{ id: current.id, ready: true }, ...listed]
  return Promise.all(
    all.map(async (listing): Promise<ModelStatus> => {
      const isCurrent = listing.id === current.id
      const model = isCurrent ? await choice.resolve(listing.id).catch(() => undefined) : undefined
      const learned = calibration.view(listing.id)
      return {
        ...listing,
        provider: listing.id.split('/')[0]!,
        current: isCurrent,
        ...(model ? { facts: model.facts } : {}),
        ...(learned ? { calibration: learned } : {}),
      }
    }),
  )
}
