/** What a turn may be given of earlier sessions (`context.memory`). */
export interface MemorySettings {
  readonly previousSession: {
    /** On in `ayati` and off elsewhere where absent. */
    readonly enabled?: boolean | undefined
    readonly maxTokens: number
    /** Whether a model puts the session into words. */
    readonly summarize: boolean
    /** `provider/model`; the configured one where absent. */
    readonly model?: string | undefined
  }
  readonly toolHistory: {
    readonly enabled?: boolean | undefined
    readonly maxTokens: number
  }
}

/** As the configuration has it where it says nothing. */
export const usualMemory: MemorySettings = {
  previousSession: { maxTokens: 600, summarize: false },
  toolHistory: { maxTokens: 300 },
}

/** What is on in a layout, by its name. */
export function memoryIn(
  { previousSession, toolHistory }: MemorySettings,
  layout: string,
): { readonly previousSession: boolean; readonly toolHistory: boolean } {
  const isUsual = layout.replace(/\+$/, '') === 'ayati'
  return {
    previousSession: previousSession.enabled ?? isUsual,
    toolHistory: toolHistory.enabled ?? isUsual,
  }
}
