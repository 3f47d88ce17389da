import type { LanguageModelV4Usage, SharedV4ProviderMetadata } from '@ai-sdk/provider'
import { defined, fieldsOf } from '../platform.ts'
import { SILENT, type Usage } from '../wire.ts'

/**
 * Tokens as the provider reported them. The AI SDK fills gaps with zeros; the raw usage is read again, so that a missing
 * figure stays `undefined`. What an engine reports beside its usage (`engine`: tokens from its cache, and tokens read) fills gaps.
 */
export function readUsage(usage: LanguageModelV4Usage, metadata?: SharedV4ProviderMetadata): Usage {
  const read = reportedUsage(usage, metadata)
  // A prompt of no tokens is no report.
  if (read.promptTokens !== undefined && !count(read.promptTokens)) return SILENT
  return Object.fromEntries(Object.entries(read).map(([name, tokens]) => [name, count(tokens)])) as unknown as Usage
}

/** More tokens than any call has: what is above is no count. */
const MOST_TOKENS = 100_000_000

/** A whole number of tokens; anything else is not reported. */
function count(tokens: number | undefined): number | undefined {
  return tokens !== undefined && Number.isInteger(tokens) && tokens >= 0 && tokens <= MOST_TOKENS ? tokens : undefined
}

function reportedUsage(usage: LanguageModelV4Usage, metadata?: SharedV4ProviderMetadata): Usage {
  const { inputTokens: input, outputTokens: output } = usage
  const raw = fieldsOf(usage.raw)
  const engine = fieldsOf(metadata?.['engine'])
  if (!isOpenAILike(raw) && metadata?.['engine'] === undefined) {
    return {
      promptTokens: input.total,
      cachedTokens: input.cacheRead,
      cacheWrittenTokens: input.cacheWrite,
      ...defined({ cacheWrittenLongerTokens: number(fieldsOf(raw['cache_creation'])['ephemeral_1h_input_tokens']) }),
      outputTokens: output.total,
      reasoningTokens: output.reasoning,
    }
  }
  const inputDetails = fieldsOf(raw['prompt_tokens_details'] ?? raw['input_tokens_details'])
  const outputDetails = fieldsOf(raw['completion_tokens_details'] ?? raw['output_tokens_details'])
  const [cached, read] = [number(engine['cached']), number(engine['read'])]
  const whole = cached === undefined || read === undefined ? undefined : cached + read
  const promptTokens = number(raw['prompt_tokens'] ?? raw['input_tokens']) ?? whole
  const cachedTokens = number(inputDetails['cached_tokens']) ?? cached
  return {
    promptTokens: includingCached(promptTokens, cachedTokens),
    cachedTokens,
    cacheWrittenTokens: input.cacheWrite,
    outputTokens: number(raw['completion_tokens'] ?? raw['output_tokens']),
    reasoningTokens: number(outputDetails['reasoning_tokens']),
  }
}

/** If more tokens are cached than the prompt has, the figure of the prompt leaves them out: the prompt is the sum. */
function includingCached(promptTokens: number | undefined, cachedTokens = 0): number | undefined {
  return promptTokens !== undefined && cachedTokens > promptTokens ? promptTokens + cachedTokens : promptTokens
}

function isOpenAILike(raw: object): boolean {
  return 'prompt_tokens' in raw || 'completion_tokens' in raw || 'input_tokens_details' in raw || 'total_tokens' in raw
}

function number(value: unknown): number | undefined {
  return typeof value === 'number' ? value : undefined
}
