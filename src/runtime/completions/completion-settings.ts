import type { CompletionCutChoice } from '../../capability.ts'

/** What holds for calls outside every session that say nothing themselves. */
export interface CompletionSettings {
  readonly cut: CompletionCutChoice
  /** Whether the layers of the home are added. */
  readonly prompt: boolean
}
