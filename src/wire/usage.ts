import type { ReportedTokens } from '../context.ts'

/** Tokens as a provider reported them. `undefined`: not reported. */
export interface Usage extends ReportedTokens {
  readonly reasoningTokens: number | undefined
}

/** Usage of a provider that reported nothing. */
export const SILENT: Usage = {
  promptTokens: undefined,
  cachedTokens: undefined,
  cacheWrittenTokens: undefined,
  outputTokens: undefined,
  reasoningTokens: undefined,
}
