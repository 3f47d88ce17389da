import { z } from 'zod'
import { MOST_MESSAGES } from '../../../server.ts'
import { REASONING_EFFORTS } from '../../../model.ts'

const part = z.looseObject({
  type: z.string(),
  text: z.string().optional(),
  refusal: z.string().optional(),
  image_url: z.union([z.string(), z.looseObject({ url: z.string(), detail: z.string().nullish() })]).optional(),
  file: z.looseObject({ file_data: z.string().optional(), filename: z.string().nullish() }).optional(),
})
const content = z.union([z.string(), z.array(part)], 'expected a text or an array of parts')

const toolCall = z.looseObject({
  id: z.string().min(1),
  type: z.literal('function'),
  function: z.looseObject({ name: z.string().min(1), arguments: z.string() }),
})

const message = z.discriminatedUnion('role', [
  z.looseObject({ role: z.enum(['system', 'developer']), content }),
  z.looseObject({ role: z.literal('user'), content }),
  z.looseObject({
    role: z.literal('assistant'),
    content: content.nullish(),
    tool_calls: z.array(toolCall).nullish(),
    // Some servers need their reasoning back with a call. Clients use either name.
    reasoning_content: z.string().nullish(),
    reasoning: z.string().nullish(),
  }),
  z.looseObject({ role: z.literal('tool'), tool_call_id: z.string().min(1), content }),
])

const tool = z.looseObject({
  type: z.literal('function'),
  function: z.looseObject({
    name: z.string().min(1),
    description: z.string().nullish(),
    parameters: z.record(z.string(), z.unknown()).nullish(),
    strict: z.boolean().nullish(),
  }),
})

const toolChoice = z.union(
  [
    z.enum(['auto', 'none', 'required']),
    z.looseObject({ type: z.literal('function'), function: z.looseObject({ name: z.string().min(1) }) }),
  ],
  'expected auto, none, required, or {"type": "function", "function": {"name": …}}',
)

const responseFormat = z.discriminatedUnion('type', [
  z.looseObject({ type: z.literal('text') }),
  z.looseObject({ type: z.literal('json_object') }),
  z.looseObject({
    type: z.literal('json_schema'),
    json_schema: z.looseObject({
      name: z.string().min(1),
      description: z.string().nullish(),
      schema: z.record(z.string(), z.unknown()).optional(),
      strict: z.boolean().nullish(),
    }),
  }),
])

const known = {
  model: z.string().optional().describe('`foreword`, `default` or none: the configured model. Else `provider/model`.'),
  messages: z.array(message).min(1).max(MOST_MESSAGES),
  stream: z.boolean().nullish(),
  stream_options: z.looseObject({ include_usage: z.boolean().nullish() }).nullish(),
  user: z
    .string()
    .min(1)
    .nullish()
    .describe('A conversation that Foreword keeps: the last user message continues its session.'),
  tools: z.array(tool).nullish(),
  tool_choice: toolChoice.nullish(),
  parallel_tool_calls: z.boolean().nullish(),
  max_tokens: z.number().int().positive().nullish(),
  max_completion_tokens: z.number().int().positive().nullish(),
  temperature: z.number().min(0).max(2).nullish(),
  top_p: z.number().min(0).max(1).nullish(),
  stop: z.union([z.string(), z.array(z.string())]).nullish(),
  seed: z.number().int().nullish(),
  presence_penalty: z.number().min(-2).max(2).nullish(),
  frequency_penalty: z.number().min(-2).max(2).nullish(),
  response_format: responseFormat.nullish(),
  reasoning_effort: z.enum(REASONING_EFFORTS).nullish(),
  n: z.literal(1, '`n` must be 1: only one choice is made').nullish(),
}

export const completionBody = z.looseObject(known)

export type CompletionBody = z.output<typeof completionBody>
export type OpenaiMessage = z.output<typeof message>
export type OpenaiContent = z.output<typeof content>
export type OpenaiPart = z.output<typeof part>

/** `inSession`: the session decides more, so more fields are ignored. */
export function ignoredFields(body: CompletionBody, inSession: boolean): readonly string[] {
  const names = [...unread([body], Object.keys(known)), ...ignoredWithin(body)]
  if (asksForDetail(body)) names.push('image_url.detail')
  if (!inSession) return names
  for (const key of ['max_tokens', 'max_completion_tokens', 'tool_choice'] as const) {
    if (body[key] !== undefined && body[key] !== null && body[key] !== 'auto') names.push(key)
  }
  if (body.messages.some(({ role }) => role === 'system' || role === 'developer')) names.push('messages.system')
  return names
}

function ignoredWithin({ messages, tools }: CompletionBody): readonly string[] {
  const parts = messages.flatMap(({ content: each }) => (Array.isArray(each) ? each : []))
  const functions = (tools ?? []).map((each) => each.function)
  return [
    ...unread(messages, MESSAGE_KEYS).map((name) => `messages.${name}`),
    ...unread(parts, Object.keys(part.shape)).map((name) => `messages.content.${name}`),
    ...unread(functions, Object.keys(tool.shape.function.shape)).map((name) => `tools.function.${name}`),
  ]
}

const MESSAGE_KEYS = [...new Set(message.options.flatMap((each) => Object.keys(each.shape)))]

function unread(objects: readonly Readonly<Record<string, unknown>>[], knownKeys: readonly string[]): string[] {
  const names = new Set<string>()
  for (const object of objects) {
    for (const [key, value] of Object.entries(object)) {
      if (value !== null && value !== undefined && !knownKeys.includes(key)) names.add(key)
    }
  }
  return [...names]
}

function asksForDetail({ messages }: CompletionBody): boolean {
  return messages.some(
    (each) =>
      Array.isArray(each.content) &&
      each.content.some(({ image_url: image }) => {
        const detail = typeof image === 'object' ? image.detail : undefined
        return typeof detail === 'string' && detail !== 'auto'
      }),
  )
}
