import type { ReportedTokens } from '../context.ts'
import { defined, fieldsOf, isObject } from '../platform.ts'

/** Tokens, and perhaps the cost, as a provider reported them. `undefined`: not reported. */
export interface Usage extends ReportedTokens {
  readonly reasoningTokens: number | undefined
}

/** Usage of a provider that reported nothing. */
export const UNREPORTED_USAGE: Usage = {
  promptTokens: undefined,
  cachedTokens: undefined,
  cacheWrittenTokens: undefined,
  outputTokens: undefined,
  reasoningTokens: undefined,
}

type Fields = Readonly<Record<string, unknown>>

/** More tokens than any call has: what is above is no count. */
export const MOST_TOKENS = 100_000_000

/** A whole number of tokens, also as a text; anything else is not reported. */
function tokenCount(value: unknown): number | undefined {
  const count = typeof value === 'string' && /^\d+$/.test(value.trim()) ? Number(value) : value
  return typeof count === 'number' && Number.isInteger(count) && count >= 0 && count <= MOST_TOKENS ? count : undefined
}

/**
 * Where servers put the usage of an answer or of an event of it, with the servers and the page that says so. Read on
 * 2026-11-28. A later report completes an earlier one.
 */
const PLACES: readonly (readonly [path: readonly string[], servers: string, source: string])[] = [
  [['usage'], 'OpenAI and most others', 'https://developers.openai.com/api/reference/resources/chat'],
  [['choices', 'usage'], 'Moonshot', 'https://platform.moonshot.ai/docs/api/chat'],
  [['x_groq', 'usage'], 'Groq', 'https://console.groq.com/docs/api-reference'],
  [
    ['message', 'usage'],
    'Anthropic (message_start)',
    'https://platform.claude.com/docs/en/build-with-claude/streaming',
  ],
  [['response', 'usage'], 'OpenAI (Responses)', 'https://developers.openai.com/api/reference/resources/responses'],
  [['usageMetadata'], 'Gemini, Vertex', 'https://ai.google.dev/api/generate-content#UsageMetadata'],
  [['usage', 'tokens'], 'Cohere', 'https://docs.cohere.com/reference/chat-stream'],
  [['timings'], 'llama.cpp', 'https://github.com/ggml-org/llama.cpp/blob/master/tools/server/README.md'],
  [['stats'], 'LM Studio', 'https://lmstudio.ai/docs/developer/rest/chat'],
  [
    ['metadata', 'usage'],
    'Amazon Bedrock',
    'https://docs.aws.amazon.com/bedrock/latest/APIReference/API_runtime_TokenUsage.html',
  ],
  [
    ['amazon-bedrock-invocationMetrics'],
    'Amazon Bedrock',
    'https://docs.aws.amazon.com/bedrock/latest/userguide/model-parameters.html',
  ],
]

/** Names of the whole prompt, cached tokens included: OpenAI and most others, Gemini, Ollama. */
const WHOLE = ['prompt_tokens', 'promptTokenCount', 'prompt_eval_count']

/** Names of the prompt that may leave out what was cached: Anthropic and Responses, Bedrock, llama.cpp. */
const INPUT = ['input_tokens', 'inputTokens', 'inputTokenCount', 'prompt_n']

/** Of `INPUT`, tokens beside it: Anthropic, Bedrock, llama.cpp. */
const CACHED_BESIDE = ['cache_read_input_tokens', 'cacheReadInputTokens', 'cacheReadInputTokenCount', 'cache_n']
const WRITTEN_BESIDE = ['cache_creation_input_tokens', 'cacheWriteInputTokens', 'cacheWriteInputTokenCount']

/** In details or at the top: DeepSeek, Moonshot and Together, Mistral, Gemini. */
const CACHED = [
  'cached_tokens',
  'cache_read_tokens',
  'prompt_cache_hit_tokens',
  'num_cached_tokens',
  'cachedContentTokenCount',
]

/** OpenAI, LiteLLM, Alibaba. */
const WRITTEN = ['cache_write_tokens', 'cache_creation_tokens', 'cache_creation_input_tokens']

const OUTPUT = [
  'completion_tokens',
  'output_tokens',
  'candidatesTokenCount',
  'eval_count',
  'outputTokens',
  'outputTokenCount',
  'predicted_n',
  'total_output_tokens',
]

/** OpenAI, Anthropic, Gemini, LM Studio. */
const REASONING = ['reasoning_tokens', 'thinking_tokens', 'thoughtsTokenCount', 'reasoning_output_tokens']

const PROMPT_DETAILS = ['prompt_tokens_details', 'input_tokens_details']
const OUTPUT_DETAILS = ['completion_tokens_details', 'output_tokens_details']

/** Above, a cost of one call is none, US dollars. */
const MOST_COST = 10_000

/** A cost to the nano-dollar; anything else is not reported. */
function checkedCost(value: unknown): number | undefined {
  const cost = typeof value === 'string' && value.trim() !== '' ? Number(value) : value
  return typeof cost === 'number' && cost >= 0 && cost <= MOST_COST ? Math.round(cost * 1e9) / 1e9 : undefined
}

/**
 * What a report says that the call cost, US dollars. Read on 2026-11-29, in this order:
 * https://docs.x.ai/developers/cost-tracking, https://openrouter.ai/docs/use-cases/usage-accounting,
 * https://docs.perplexity.ai/docs/agent-api, https://deepinfra.com/docs/openai_api,
 * https://docs.llmgateway.io/features/cost-breakdown
 */
function costIn(report: Fields): number | undefined {
  const { cost, cost_in_usd_ticks: ticks, is_byok: hasOwnKey, cost_details: details } = report
  if (typeof ticks === 'number') return checkedCost(ticks / 1e10)
  if (isObject(cost)) return (cost['currency'] ?? 'USD') === 'USD' ? checkedCost(cost['total_cost']) : undefined
  const charged = checkedCost(cost ?? report['estimated_cost'] ?? report['cost_usd_total'])
  // With a key of one's own at the provider behind it, OpenRouter charges its fee alone.
  const behind = hasOwnKey === true ? (checkedCost(fieldsOf(details)['upstream_inference_cost']) ?? 0) : 0
  return charged === undefined ? undefined : checkedCost(charged + behind)
}

/**
 * Headers with the cost of an answer in one piece, US dollars, with the server and the page that says so. Read on 2026-11-29. The
 * head of a stream leaves before its cost is known.
 */
const COST_HEADERS: readonly (readonly [header: string, server: string, source: string])[] = [
  ['x-litellm-response-cost', 'LiteLLM', 'https://docs.litellm.ai/docs/proxy/response_headers'],
]

/** What the head of an answer in one piece reports, in the form of its body. A cost of nothing is of a model without a price there. */
export function headReport(headers: Readonly<Record<string, unknown>>): Fields {
  const costs = COST_HEADERS.map(([header]) => checkedCost(headers[header]))
  const cost = costs.find((value) => value !== undefined && value > 0)
  return cost === undefined ? {} : { usage: { cost } }
}

/** Collects what an answer says of its tokens and its cost, wherever it says it. */
export function usageReader() {
  let counts: Fields = {}
  let cost: number | undefined
  return {
    /** Reads one event of an answer, a whole answer, or the figures of Ollama beside it. */
    add(event: Fields): void {
      counts = merged(counts, figures(event))
      for (const place of PLACES.flatMap(([path]) => placesAt(event, path))) {
        counts = merged(counts, figures(place))
        const paid = costIn(place)
        cost = paid || (cost ?? paid)
      }
    },
    /** `undefined`: nothing was reported. */
    usage: (): Usage | undefined => (Object.keys(counts).length === 0 ? undefined : readCounts(counts, cost)),
  }
}

function placesAt(value: unknown, [name, ...path]: readonly string[]): readonly Fields[] {
  if (Array.isArray(value)) return value.flatMap((each) => placesAt(each, [name!, ...path].filter(Boolean)))
  if (!isObject(value)) return []
  return name === undefined ? [value] : placesAt(value[name], path)
}

const NAMES: ReadonlySet<string> = new Set([
  ...WHOLE,
  ...INPUT,
  ...CACHED_BESIDE,
  ...WRITTEN_BESIDE,
  ...CACHED,
  ...WRITTEN,
  ...OUTPUT,
  ...REASONING,
  'total_tokens',
  'ephemeral_1h_input_tokens',
])
const DETAILS = [...PROMPT_DETAILS, ...OUTPUT_DETAILS, 'cache_creation']

/** The counts of a report, those of its details among them. */
function figures(report: Fields): Fields {
  const entries = Object.entries(report).flatMap(([name, value]): [string, unknown][] => {
    if (DETAILS.includes(name) && isObject(value)) return [[name, figures(value)]]
    const count = NAMES.has(name) ? tokenCount(value) : undefined
    return count === undefined ? [] : [[name, count]]
  })
  return Object.fromEntries(entries)
}

/** A zero does not replace a count: it is how some servers report nothing. */
function merged(known: Fields, next: Fields): Fields {
  const entries = Object.entries(next).map(([name, value]) => {
    const former = known[name]
    return [name, isObject(value) ? merged(fieldsOf(former), value) : value === 0 ? (former ?? 0) : value]
  })
  return { ...known, ...Object.fromEntries(entries) }
}

function readCounts(counts: Fields, cost: number | undefined): Usage {
  const first = (names: readonly string[], places: readonly Fields[] = [counts]) =>
    places.flatMap((place) => names.map((name) => place[name])).find((count) => typeof count === 'number')
  const about = PROMPT_DETAILS.map((name) => fieldsOf(counts[name]))
  const beside = first(CACHED_BESIDE)
  // Perplexity has Anthropic's names in the details of Responses: https://docs.perplexity.ai/docs/agent-api
  const cached = first(CACHED, [...about, counts]) ?? first(CACHED_BESIDE, about) ?? beside
  const written = first(WRITTEN, about) ?? first(WRITTEN_BESIDE) ?? first(WRITTEN)
  const input = first(INPUT)
  const isWhole = PROMPT_DETAILS.some((name) => isObject(counts[name]))
  const prompt = first(WHOLE) ?? (isWhole || input === undefined ? input : input + (beside ?? 0) + (written ?? 0))
  const longer = tokenCount(fieldsOf(counts['cache_creation'])['ephemeral_1h_input_tokens'])
  const reasoning = first(REASONING, [...OUTPUT_DETAILS.map((name) => fieldsOf(counts[name])), counts])
  return checkedUsage({
    promptTokens: prompt,
    cachedTokens: cached,
    cacheWrittenTokens: written,
    ...defined({ cacheWrittenLongerTokens: longer }),
    outputTokens: wholeOutput(first(OUTPUT), { prompt, reasoning, counts }),
    reasoningTokens: reasoning,
    ...defined({ cost }),
  })
}

/** Gemini, and xAI as its sum says, count reasoning beside the output. */
function wholeOutput(
  output: number | undefined,
  about: { readonly prompt: number | undefined; readonly reasoning: number | undefined; readonly counts: Fields },
): number | undefined {
  const { prompt = 0, reasoning = 0, counts } = about
  // Gemini leaves out what is none, such as the words of an answer that ended while it was thought about.
  if (output === undefined) return counts['thoughtsTokenCount'] as number | undefined
  const isBeside = 'candidatesTokenCount' in counts || counts['total_tokens'] === prompt + output + reasoning
  return isBeside ? output + reasoning : output
}

/**
 * The one gate of usage: whole numbers, 0 ≤ cached ≤ prompt ≤ 100 million. What is otherwise is not reported, and a prompt of no
 * tokens is no report. A cost is one beside the tokens that were paid for. If more tokens are cached than the prompt has, its figure leaves them out: the prompt is the sum.
 */
export function checkedUsage(reported: Usage): Usage {
  if (reported.promptTokens !== undefined && !tokenCount(reported.promptTokens)) {
    // Some servers report no prompt where all of it was in their cache.
    const outputTokens = reported.promptTokens === 0 ? tokenCount(reported.outputTokens) || undefined : undefined
    return { ...UNREPORTED_USAGE, outputTokens }
  }
  const prompt = tokenCount(reported.promptTokens)
  const cached = tokenCount(reported.cachedTokens)
  const sum = prompt !== undefined && cached !== undefined && cached > prompt ? prompt + cached : prompt
  if (sum !== undefined && sum > MOST_TOKENS) return UNREPORTED_USAGE
  const within = (value: number | undefined) =>
    value !== undefined && value <= (sum ?? MOST_TOKENS) ? tokenCount(value) : undefined
  const longer = within(reported.cacheWrittenLongerTokens)
  const outputTokens = tokenCount(reported.outputTokens)
  const isWhole = sum !== undefined && outputTokens !== undefined
  return {
    promptTokens: sum,
    cachedTokens: cached,
    cacheWrittenTokens: within(reported.cacheWrittenTokens),
    ...defined({ cacheWrittenLongerTokens: longer }),
    outputTokens,
    reasoningTokens: tokenCount(reported.reasoningTokens),
    ...defined({ cost: isWhole ? checkedCost(reported.cost) : undefined }),
  }
}
