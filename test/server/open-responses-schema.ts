import { z } from 'zod'

/**
 * What Open Responses requires of an answer (https://www.openresponses.org/specification, revision 2026-04-24): every field that its
 * schema names as required, with its type. Fields beyond them are allowed.
 */

const whole = z.number().int()
const textOrNull = z.string().nullable()
const json = z.record(z.string(), z.unknown())
const progress = z.enum(['in_progress', 'completed', 'incomplete'])

const annotation = z.object({
  type: z.literal('url_citation'),
  url: z.string(),
  start_index: whole,
  end_index: whole,
  title: z.string(),
})
const part = z.discriminatedUnion('type', [
  z.object({ type: z.literal('input_text'), text: z.string() }),
  z.object({
    type: z.literal('output_text'),
    text: z.string(),
    annotations: z.array(annotation),
    logprobs: z.array(z.unknown()).optional(),
  }),
  z.object({ type: z.literal('summary_text'), text: z.string() }),
  z.object({ type: z.literal('refusal'), refusal: z.string() }),
  z.object({ type: z.literal('input_image'), image_url: textOrNull, detail: z.enum(['low', 'high', 'auto']) }),
  z.object({ type: z.literal('input_file'), filename: z.string().optional(), file_url: z.string().optional() }),
])
const item = z.discriminatedUnion('type', [
  z.object({
    type: z.literal('message'),
    id: z.string(),
    status: progress,
    role: z.enum(['user', 'assistant', 'system', 'developer']),
    content: z.array(part),
  }),
  z.object({
    type: z.literal('function_call'),
    id: z.string(),
    call_id: z.string(),
    name: z.string(),
    arguments: z.string(),
    status: progress,
  }),
  z.object({
    type: z.literal('reasoning'),
    id: z.string(),
    content: z.array(part).optional(),
    summary: z.array(part),
    encrypted_content: z.string().optional(),
  }),
  z.object({ type: z.literal('compaction'), id: z.string(), encrypted_content: z.string() }),
])
const choice = z.enum(['none', 'auto', 'required'])
const functionChoice = z.object({ type: z.literal('function'), name: z.string().optional() })
const usage = z.object({
  input_tokens: whole,
  output_tokens: whole,
  total_tokens: whole,
  input_tokens_details: z.object({ cached_tokens: whole }),
  output_tokens_details: z.object({ reasoning_tokens: whole }),
})

export const responseResource = z.object({
  id: z.string(),
  object: z.literal('response'),
  created_at: whole,
  completed_at: whole.nullable(),
  status: z.string(),
  incomplete_details: z.object({ reason: z.string() }).nullable(),
  model: z.string(),
  previous_response_id: textOrNull,
  instructions: textOrNull,
  output: z.array(item),
  error: z.object({ code: z.string(), message: z.string() }).nullable(),
  tools: z.array(
    z.object({
      type: z.literal('function'),
      name: z.string(),
      description: textOrNull,
      parameters: json.nullable(),
      strict: z.boolean().nullable(),
    }),
  ),
  tool_choice: z.union([
    functionChoice,
    choice,
    z.object({ type: z.literal('allowed_tools'), tools: z.array(functionChoice), mode: choice }),
  ]),
  truncation: z.enum(['auto', 'disabled']),
  parallel_tool_calls: z.boolean(),
  text: z.object({
    format: z.discriminatedUnion('type', [
      z.object({ type: z.literal('text') }),
      z.object({ type: z.literal('json_object') }),
      z.object({ type: z.literal('json_schema'), name: z.string(), description: textOrNull, strict: z.boolean() }),
    ]),
    verbosity: z.enum(['low', 'medium', 'high']).optional(),
  }),
  top_p: z.number(),
  presence_penalty: z.number(),
  frequency_penalty: z.number(),
  top_logprobs: whole,
  temperature: z.number(),
  reasoning: z.object({ effort: textOrNull, summary: textOrNull }).nullable(),
  usage: usage.nullable(),
  max_output_tokens: whole.nullable(),
  max_tool_calls: whole.nullable(),
  store: z.boolean(),
  background: z.boolean(),
  service_tier: z.string(),
  metadata: z.unknown(),
  safety_identifier: textOrNull,
  prompt_cache_key: textOrNull,
})

export const compactResource = z.object({
  id: z.string(),
  object: z.literal('response.compaction'),
  output: z.array(item),
  created_at: whole,
  usage,
})

const numbered = { sequence_number: whole }
const placed = { ...numbered, item_id: z.string(), output_index: whole }
const inContent = { ...placed, content_index: whole }
const inSummary = { ...placed, summary_index: whole }
const snapshot = { ...numbered, response: responseResource }
const placedItem = { ...numbered, output_index: whole, item: item.nullable() }

function event(type: string, fields: z.ZodRawShape) {
  return z.object({ type: z.literal(`response.${type}`), ...fields })
}

export const responseEvent = z.union([
  ...['created', 'in_progress', 'completed', 'failed', 'incomplete'].map((type) => event(type, snapshot)),
  ...['output_item.added', 'output_item.done'].map((type) => event(type, placedItem)),
  ...['content_part.added', 'content_part.done'].map((type) => event(type, { ...inContent, part })),
  ...['reasoning_summary_part.added', 'reasoning_summary_part.done'].map((type) => event(type, { ...inSummary, part })),
  event('output_text.delta', { ...inContent, delta: z.string(), logprobs: z.array(z.unknown()).optional() }),
  event('output_text.done', { ...inContent, text: z.string(), logprobs: z.array(z.unknown()).optional() }),
  event('output_text.annotation.added', { ...inContent, annotation_index: whole, annotation: annotation.nullable() }),
  event('reasoning_summary_text.delta', { ...inSummary, delta: z.string() }),
  event('reasoning_summary_text.done', { ...inSummary, text: z.string() }),
  event('function_call_arguments.delta', { ...placed, delta: z.string() }),
  event('function_call_arguments.done', { ...placed, arguments: z.string() }),
])
