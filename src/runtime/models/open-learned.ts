import type { Clock } from '../../capability.ts'
import type { SessionStore } from '../../session.ts'
import type { AssemblyContext } from '../calls/assembly-context.ts'
import { openCalibrationStore } from './calibration-store.ts'
import { openLearnedLimits } from './learned-limits.ts'
import { createSlotAffinity } from './slot-affinity.ts'

/** What a runtime learns of models while it calls them. */
export async function openLearned(
  store: SessionStore,
  clock: Clock,
  warn: (text: string) => void,
): Promise<Pick<AssemblyContext, 'calibration' | 'limits' | 'slots'>> {
  const calibration = await openCalibrationStore(store, clock, warn)
  const limits = await openLearnedLimits(store, clock, warn)
  return { calibration, limits, slots: createSlotAffinity(clock) }
}
