import { defined, elementsOf, fieldsOf, parseJson } from '../platform.ts'

/** Sizes that a provider reports with an overflow, tokens. */
export interface Overflow {
  readonly limit?: number
  readonly sent?: number
  /** The limit is one of tokens per minute, which one request exceeds. It is not the window of the model. */
  readonly perMinute?: true
}

/**
 * Recognizes errors about prompts that are too large for the model or server. `text` is the body or the message of the
 * error. A rate limit that a single request exceeds is an overflow too, because waiting does not help; an ordinary rate
 * limit is not. The forms are recorded in `test/recorded/overflow.json`.
 */
export function detectOverflow(status: number | undefined, text: string): Overflow | undefined {
  if (NOT_THE_PROMPT.some((form) => form.test(text))) return undefined
  for (const form of FORMS) {
    const found = form.exec(text)
    if (found) return { ...parseSizes(found.groups), ...(PER_MINUTE.test(text) && { perMinute: true as const }) }
  }
  const named = CODES.test(text) || status === 413
  return named ? parseSizes(LLAMA_SIZES.exec(text)?.groups) : undefined
}

/** The maximum output is too high, or the tokens per minute are used up: another or a later request would succeed. */
const NOT_THE_PROMPT = [
  /supports at most \d+ completion tokens/i,
  /max_tokens: \d+ > \d+, which is the maximum allowed number of output tokens/i,
  /rate limit reached for/i,
]

const PER_MINUTE = /\b(?:tokens per min(?:ute)?|TPM)\b/i

/** The most specific forms first. */
const FORMS = [
  // Anthropic
  /prompt is too long: (?<sent>\d+) tokens > (?<limit>\d+) maximum/i,
  /input length and `max_tokens` exceed context limit: (?<sent>\d+) \+ \d+ > (?<limit>\d+)/i,
  // OpenAI, Groq: more at once than a whole minute allows
  /request too large .*limit[: ]+(?<limit>\d+),? requested[: ]+(?<sent>\d+)/is,
  // OpenAI, vLLM, OpenRouter, DeepSeek and many that follow them
  /maximum context length (?:is|of) (?<limit>\d+) tokens?.*?(?:resulted in(?: over)?|you requested(?: about)?|request has|passed|prompt contains(?: at least)?) (?<sent>\d+)/is,
  /passed (?<sent>\d+) input tokens.*context length is only (?<limit>\d+)/is,
  /prompt contains (?<sent>\d+) tokens.*?model with (?<limit>\d+) maximum context length/is,
  /maximum context length (?:is|of)(?: only)? (?<limit>\d+)/i,
  /maximum (?:prompt|model) length is (?<limit>\d+) but the request contains (?<sent>\d+)/i,
  /prompt \(length (?<sent>\d+)\) is longer than the maximum model length of (?<limit>\d+)/i,
  /input token count \(?(?<sent>\d+)\)? exceeds the maximum number of tokens allowed \(?(?<limit>\d+)/i,
  /prompt \(total length (?<sent>\d+)\) is too long to fit into the model \(context length (?<limit>\d+)\)/i,
  // xAI, Together, Moonshot, DashScope, SiliconFlow
  /message \((?<sent>\d+) tokens\) exceeds budget \((?<limit>\d+) tokens\)/i,
  /input \((?<sent>\d+) tokens\) is longer than the model's context length \((?<limit>\d+) tokens\)/i,
  /exceeded model token limit: (?<limit>\d+) \(requested: (?<sent>\d+)\)/i,
  /range of input length should be \[\d+, (?<limit>\d+)\]/i,
  /(?:prompt_tokens|max_total_tokens) \((?<sent>\d+)\) must be less than (?:or equal to )?max_seq_len \((?<limit>\d+)\)/i,
  // llama.cpp, LM Studio, Ollama, what is built on llama.cpp or MLX
  /request \((?<sent>\d+) tokens\) exceeds the available context size \((?<limit>\d+) tokens\)/i,
  /keep the first (?<sent>\d+) tokens.*context length of only (?<limit>\d+)/is,
  /n_keep[^\d]*(?<sent>\d+)\)? >= n_ctx[^\d]*(?<limit>\d+)/i,
  /tokens to keep from the initial prompt is greater than the context length/i,
  /(?:prompt|input)[^.]{0,20} too long; exceeded max context length/i,
  /input length exceeds (?:the |maximum )?context length/i,
  /requested tokens \((?<sent>\d+)\) exceed context window of (?<limit>\d+)/i,
  /number of tokens \((?<sent>\d+)\) exceeded maximum context length \((?<limit>\d+)\)/i,
  /prompt too long: (?<sent>\d+) tokens exceeds max context window of (?<limit>\d+)/i,
  // Text Generation Inference, Hugging Face
  /`?inputs`? tokens \+ `?max_new_tokens`? must be <= (?<limit>\d+)(?:\. Given: (?<sent>\d+))?/i,
  /`?inputs`? must have less than (?<limit>\d+) tokens\. Given: (?<sent>\d+)/i,
  // GitHub, Copilot, Cohere, watsonx, Cloudflare, Cerebras
  /prompt token count of (?<sent>\d+) exceeds the limit of (?<limit>\d+)/i,
  /request body too large for .{1,80} model\. max size: (?<limit>\d+) tokens/i,
  /tokens (?:in the prompt|\(prompt and prediction\)) cannot exceed (?<limit>\d+)(?: - received (?<sent>\d+))?/i,
  /number of input tokens (?<sent>\d+) cannot exceed the total tokens limit (?<limit>\d+)/i,
  /tokens \((?<sent>\d+)\) exceeded this model'?s? context window limit \((?<limit>\d+)\)/i,
  /current length is (?<sent>\d+) while limit is (?<limit>\d+)/i,
  // Fireworks, TabbyAPI, KoboldCpp, SGLang, TensorRT-LLM, Volcengine
  /prompt is too long: (?<sent>\d+), model maximum context length: (?<limit>\d+)/i,
  /prompt is too long: (?<sent>\d+) > (?<limit>\d+)/i,
  /prompt length (?<sent>\d+) is greater than max_seq_len (?<limit>\d+)/i,
  /(?:prompt|input)(?: token)?s? length \(?(?<sent>\d+)(?: tokens)?\)? (?:exceeds|is longer than|should not exceed) [^.\d]{0,60}\(?(?<limit>\d+)/i,
  // without numbers
  /exceeds the context window/i,
  /context window exceeds limit/i,
  /prompt exceeds max(?:imum)?(?: context)? length/i,
  /(?:prompt|input) is too long/i,
  /context shift is disabled/i,
]

const CODES =
  /context_length_exceeded|exceed_context_size_error|exceeds the available context size|request_too_large|string_above_max_length|model_max_prompt_tokens_exceeded|tokens_limit_reached|model_context_window_exceeded/i

/** llama.cpp reports the sizes in fields beside the message. */
const LLAMA_SIZES = /(?=.*"n_prompt_tokens":\s*(?<sent>\d+))(?=.*"n_ctx":\s*(?<limit>\d+))/is

function parseSizes(groups: Readonly<Record<string, string | undefined>> | undefined): Overflow {
  const limit = groups?.['limit']
  const sent = groups?.['sent']
  return defined({ limit: limit ? Number(limit) : undefined, sent: sent ? Number(sent) : undefined })
}

/** How deep the sentence of a provider is looked for: those that pass a refusal on wrap it, also as JSON in a text. */
const DEEPEST = 6

/** Fields that hold a sentence, or hold what does, the most exact first. */
const SENTENCE_FIELDS = [
  'raw',
  'metadata',
  'message',
  'msg',
  'error_message',
  'error_msg',
  'errorMessage',
  'error',
  'detail',
  'details',
  'errors',
  'description',
  'reason',
  'title',
]

/**
 * The sentence in which a provider says why it refused, wherever it puts it: `error.message`, `detail`, the first of a list,
 * or the answer of the provider behind it (`metadata.raw`). `undefined`: there is none.
 */
export function providerSentence(body: unknown, depth = 0): string | undefined {
  if (depth > DEEPEST) return undefined
  if (typeof body === 'string') {
    const text = body.trim()
    const inner = /^[[{]/.test(text) ? providerSentence(parseJson(text), depth + 1) : undefined
    return inner ?? (text === '' ? undefined : text)
  }
  if (typeof body !== 'object' || body === null) return undefined
  const fields = fieldsOf(body)
  for (const each of Array.isArray(body) ? elementsOf(body) : SENTENCE_FIELDS.map((name) => fields[name])) {
    const found = providerSentence(each, depth + 1)
    if (found !== undefined) return found
  }
  return undefined
}
