import type { FinishReason } from '../../../model.ts'
import type { Usage } from '../../../session.ts'
import type { AnswerNames } from '../http/openai-answer.ts'
import type { ResponseBody, ResponseItem } from './response-schema.ts'

export interface ResponseNames extends AnswerNames {
  /** The id without its prefix: the call, or the session and the turn. */
  readonly key: string
}

export interface ResponseObject extends Readonly<Record<string, unknown>> {
  readonly id: string
  readonly status: ResponseStatus
  readonly output: readonly ResponseItem[]
}

type ResponseStatus = 'queued' | 'in_progress' | 'completed' | 'incomplete' | 'failed' | 'cancelled'

export function responseId(key: string): string {
  return `resp_${key}`
}

export function emptyResponse({ key, model, created }: ResponseNames, body: ResponseBody): ResponseObject {
  const { text, reasoning } = body
  return {
    id: responseId(key),
    object: 'response',
    created_at: created,
    status: 'in_progress',
    background: false,
    error: null,
    incomplete_details: null,
    instructions: body.instructions ?? null,
    max_output_tokens: body.max_output_tokens ?? null,
    metadata: body.metadata ?? {},
    model,
    output: [],
    parallel_tool_calls: body.parallel_tool_calls ?? true,
    previous_response_id: body.previous_response_id ?? null,
    prompt_cache_key: body['prompt_cache_key'] ?? null,
    reasoning: { effort: reasoning?.effort ?? null, summary: reasoning?.summary ?? null },
    safety_identifier: body['safety_identifier'] ?? null,
    store: false,
    temperature: body.temperature ?? null,
    text: { format: text?.format ?? { type: 'text' } },
    tool_choice: body.tool_choice ?? 'auto',
    tools: body.tools ?? [],
    top_p: body.top_p ?? null,
    truncation: body.truncation ?? 'disabled',
    usage: null,
    ...(body.user ? { user: body.user } : {}),
  }
}

export function endedFields(reason: FinishReason | undefined): Pick<ResponseObject, 'status' | 'incomplete_details'> {
  if (reason === 'length') return { status: 'incomplete', incomplete_details: { reason: 'max_output_tokens' } }
  if (reason === 'content-filter') return { status: 'incomplete', incomplete_details: { reason: 'content_filter' } }
  return { status: 'completed', incomplete_details: null }
}

/** `null` where the provider reported none: a guess would be worse. Details that it did not report are left out. */
export function responseUsage(usage: Usage | undefined): unknown {
  if (usage?.promptTokens === undefined || usage.outputTokens === undefined) return null
  const { promptTokens, outputTokens, cachedTokens, reasoningTokens } = usage
  return {
    input_tokens: promptTokens,
    ...(cachedTokens === undefined ? {} : { input_tokens_details: { cached_tokens: cachedTokens } }),
    output_tokens: outputTokens,
    ...(reasoningTokens === undefined ? {} : { output_tokens_details: { reasoning_tokens: reasoningTokens } }),
    total_tokens: promptTokens + outputTokens,
  }
}
