import type { LanguageModelV4CallOptions, SharedV4ProviderOptions } from '@ai-sdk/provider'
import { answerFilter } from '../../wire.ts'
import { type CallOptions, fromLanguageModel, httpModelSettings, type Model, type ModelSettings } from '../../model.ts'

/** A model of the Messages API, with cache marks at the ends of stable prefixes. */
export function anthropicModel(settings: ModelSettings): Model {
  return fromLanguageModel({
    ...httpModelSettings(settings),
    filter: () => answerFilter('messages'),
    carries: { resultImages: true, imageAddresses: true },
    open: async (fetch) => {
      const { createAnthropic } = await import('@ai-sdk/anthropic')
      const { baseURL, apiKey = 'none', headers = {} } = settings
      return createAnthropic({ baseURL, apiKey, headers: { ...headers }, fetch })(settings.model)
    },
    mark: (call, options) => withThinking(withCacheMarks(call, options), options, settings),
  })
}

const MARK: SharedV4ProviderOptions = { anthropic: { cacheControl: { type: 'ephemeral' } } }
const LONGER: SharedV4ProviderOptions = { anthropic: { cacheControl: { type: 'ephemeral', ttl: '1h' } } }

/**
 * At most four marks, each at the end of a prefix that a later call may share: the last tool, the system text, the
 * end of the settled history, and the newest message before those that move (reminders). Marks of an hour have to
 * stand before those of five minutes.
 */
function withCacheMarks(
  call: LanguageModelV4CallOptions,
  { movingMessages = 0, cacheLife: life }: CallOptions,
): LanguageModelV4CallOptions {
  const [head, rest] = [life ? LONGER : MARK, life === 'all' ? LONGER : MARK]
  const { prompt, tools } = call
  const newest = prompt.length - 1 - movingMessages
  // A caller outside sessions may have several system messages, and some amid the conversation.
  const lead = prompt.findIndex(({ role }) => role !== 'system')
  const settled = prompt.findLastIndex(
    ({ role }, index) =>
      index < newest && (role === 'assistant' || role === 'tool') && prompt[index + 1]?.role === 'user',
  )
  return {
    ...call,
    prompt: prompt.map((message, index) => {
      if (index === (lead < 0 ? prompt.length : lead) - 1) return withMark(message, head)
      return index === settled || index === newest ? withMark(message, rest) : message
    }),
    ...(tools
      ? {
          tools: tools.map((tool, index) =>
            index === tools.length - 1 && tool.type === 'function' ? withMark(tool, head) : tool,
          ),
        }
      : {}),
  }
}

function withMark<T extends { providerOptions?: SharedV4ProviderOptions }>(part: T, mark: SharedV4ProviderOptions): T {
  return { ...part, providerOptions: { ...part.providerOptions, ...mark } }
}

/** Models with a thinking budget, which Anthropic adds to the longest answer. */
const BUDGETED = /claude-(?:3-7|(?:opus|sonnet)-4-[015](?!\d)|(?:opus|sonnet)-4-2025|haiku-4-5)/
const LEAST_BUDGET = 1024
const SHARE: Readonly<Record<string, number>> = { minimal: 0.25, low: 0.25, medium: 0.5, high: 0.75, xhigh: 0.75 }

function withThinking(call: LanguageModelV4CallOptions, options: CallOptions, { model, facts }: ModelSettings) {
  // Pings keep a stream alive while the model thinks.
  const anthropic: Record<string, number | boolean | { type: string; budgetTokens: number }> = {
    includePings: true,
    ...(options.parameters?.parallelToolCalls === false ? { disableParallelToolUse: true } : {}),
  }
  const share = SHARE[options.parameters?.reasoningEffort ?? options.reasoning ?? '']
  if (!share || !facts.reasoning || !BUDGETED.test(model)) return { ...call, providerOptions: { anthropic } }
  const room = options.maxOutputTokens ?? facts.maxOutput
  const budgetTokens = Math.max(LEAST_BUDGET, Math.floor(room * share))
  if (room - budgetTokens < LEAST_BUDGET) return { ...call, reasoning: undefined, providerOptions: { anthropic } }
  anthropic['thinking'] = { type: 'enabled', budgetTokens }
  const { reasoning: _, ...rest } = call
  return { ...rest, maxOutputTokens: room - budgetTokens, providerOptions: { anthropic } }
}
