import type { Clock } from '../../capability.ts'
import type { SessionStore } from '../../session.ts'
import { type CalibrationStore, openCalibrationStore } from './calibration-store.ts'
import { type LearnedLimits, openLearnedLimits } from './learned-limits.ts'
import { createSlotAffinity, type SlotAffinity } from './slot-affinity.ts'

/** What a runtime has learned of models. */
export interface Learned {
  readonly calibration: CalibrationStore
  readonly limits: LearnedLimits
  readonly slots: SlotAffinity
}

/** What a runtime learns of models while it calls them. */
export async function openLearned(store: SessionStore, clock: Clock, warn: (text: string) => void): Promise<Learned> {
  const calibration = await openCalibrationStore(store, clock, warn)
  const limits = await openLearnedLimits(store, clock, warn)
  return { calibration, limits, slots: createSlotAffinity(clock) }
}
