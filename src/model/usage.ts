import type { LanguageModelV4Usage } from '@ai-sdk/provider'
import { checkedUsage, type Usage, usageReader } from '../wire.ts'
import { fieldsOf } from '../platform.ts'

/**
 * Tokens as a library of the AI SDK reports them. It fills gaps with zeros, so that what its provider said is read again
 * where it passes it on.
 */
export function readUsage({ inputTokens: input, outputTokens: output, raw }: LanguageModelV4Usage): Usage {
  const reader = usageReader()
  reader.add({ usage: fieldsOf(raw) })
  return (
    reader.usage() ??
    checkedUsage({
      promptTokens: input.total,
      cachedTokens: input.cacheRead,
      cacheWrittenTokens: input.cacheWrite,
      outputTokens: output.total,
      reasoningTokens: output.reasoning,
    })
  )
}
