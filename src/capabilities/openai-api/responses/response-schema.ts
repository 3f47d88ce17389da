import { z } from 'zod'
import { MOST_MESSAGES } from '../../../server.ts'
import { REASONING_EFFORTS, type FinishReason } from '../../../model.ts'
import { textOf } from '../../../wire.ts'
import type { AnswerNames } from '../http/openai-answer.ts'
import { commonFields, describedFields } from '../http/openai-source.ts'

/** An item of an input. What each type needs is read where it is converted, so that a refusal can name the item. */
const item = z.looseObject({
  type: z.string().nullish(),
  id: z.string().nullish(),
  role: z.string().nullish(),
})

const tool = z.looseObject({
  type: z.string(),
  ...describedFields,
  name: z.string().nullish(),
  parameters: z.record(z.string(), z.unknown()).nullish(),
})

const toolChoice = z.union([z.string(), z.looseObject({ type: z.string(), name: z.string().nullish() })])

const format = z.discriminatedUnion('type', [
  z.looseObject({ type: z.literal('text') }),
  z.looseObject({ type: z.literal('json_object') }),
  z.looseObject({
    type: z.literal('json_schema'),
    ...describedFields,
    schema: z.record(z.string(), z.unknown()),
  }),
])

export const responseBody = z.looseObject({
  ...commonFields,
  input: z
    .union(
      [z.string(), z.array(item).max(MOST_MESSAGES)],
      `expected a text or an array of items, ${MOST_MESSAGES} at most`,
    )
    .optional(),
  instructions: z.string().nullish().describe('Sent as the first system message. Not part of what is kept.'),
  previous_response_id: z
    .string()
    .min(1)
    .nullish()
    .describe('Goes on after this response: in its session, or after what was kept of it.'),
  user: z.string().min(1).nullish().describe('A conversation that Foreword keeps: the input continues its session.'),
  store: z.boolean().nullish().describe('`false`: nothing is kept of the response outside the ledger of calls.'),
  background: z.boolean().nullish(),
  tools: z.array(tool).nullish(),
  tool_choice: toolChoice.nullish(),
  max_output_tokens: z.number().int().positive().nullish(),
  text: z.looseObject({ format: format.nullish() }).nullish(),
  reasoning: z.looseObject({ effort: z.enum(REASONING_EFFORTS).nullish(), summary: z.string().nullish() }).nullish(),
  truncation: z
    .enum(['auto', 'disabled'])
    .nullish()
    .describe('If the input does not fit: `auto` leaves out the oldest, `disabled` refuses it.'),
  metadata: z.record(z.string(), z.unknown()).nullish().describe('Comes back with the response.'),
})

export type ResponseBody = z.output<typeof responseBody>
export type ResponseItem = Readonly<z.output<typeof item>>
export type ResponseTool = Readonly<z.output<typeof tool>>

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

/** Has every field that the schema of Open Responses requires. What the request does not name has the value that the API has for it. */
export function emptyResponse({ key, model, created }: ResponseNames, body: ResponseBody): ResponseObject {
  const { reasoning, tool_choice: choice = 'auto' } = body
  const wanted = body.text?.format
  const isNarrowed = typeof choice === 'object' && choice?.type === 'allowed_tools'
  return {
    id: responseId(key),
    object: 'response',
    created_at: created,
    completed_at: null,
    status: 'in_progress',
    background: false,
    error: null,
    frequency_penalty: body.frequency_penalty ?? 0,
    incomplete_details: null,
    instructions: body.instructions ?? null,
    max_output_tokens: body.max_output_tokens ?? null,
    max_tool_calls: null,
    metadata: body.metadata ?? {},
    model,
    output: [],
    parallel_tool_calls: body.parallel_tool_calls ?? true,
    presence_penalty: body.presence_penalty ?? 0,
    previous_response_id: body.previous_response_id ?? null,
    prompt_cache_key: textOf(body['prompt_cache_key']) ?? null,
    reasoning: { effort: reasoning?.effort ?? null, summary: reasoning?.summary ?? null },
    safety_identifier: textOf(body['safety_identifier']) ?? null,
    service_tier: 'default',
    store: false,
    temperature: body.temperature ?? 1,
    text: {
      format:
        wanted?.type === 'json_schema'
          ? { ...wanted, description: wanted.description ?? null, strict: wanted.strict ?? false }
          : (wanted ?? { type: 'text' }),
    },
    tool_choice: isNarrowed ? { mode: 'auto', ...choice } : (choice ?? 'auto'),
    tools: (body.tools ?? []).map((offered) =>
      offered.type === 'function' ? { description: null, parameters: null, strict: null, ...offered } : offered,
    ),
    top_logprobs: 0,
    top_p: body.top_p ?? 1,
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
