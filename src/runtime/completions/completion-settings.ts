/** What becomes of a conversation outside every session that does not fit: refused as a whole, or cut where it is oldest. */
export type CompletionCutChoice = 'none' | 'auto'

/** What holds for calls outside every session that say nothing themselves. */
export interface CompletionSettings {
  readonly cut: CompletionCutChoice
  /** Whether the layers of the home are added. */
  readonly prompt: boolean
}
