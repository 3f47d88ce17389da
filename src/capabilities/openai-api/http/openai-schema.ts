import { z } from 'zod'
import { elementsOf, fieldsOf } from '../../../platform.ts'
import { MOST_MESSAGES } from '../../../server.ts'
import { REASONING_EFFORTS } from '../../../model.ts'

/** What its content and its calls are is read where every body of this format is. */
const message = z.looseObject({ role: z.enum(['system', 'developer', 'user', 'assistant', 'tool']) })

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
/** `inSession`: the session decides more, so more fields are ignored. */
export function ignoredFields(body: CompletionBody, inSession: boolean): readonly string[] {
  const functions = (body.tools ?? []).map((each) => each.function)
  const names = [
    ...unread([body], Object.keys(known)),
    ...unread(functions, Object.keys(tool.shape.function.shape)).map((name) => `tools.function.${name}`),
  ]
  if (asksForDetail(body)) names.push('image_url.detail')
  if (!inSession) return names
  for (const key of ['max_tokens', 'max_completion_tokens', 'tool_choice'] as const) {
    if (body[key] !== undefined && body[key] !== null && body[key] !== 'auto') names.push(key)
  }
  if (body.messages.some(({ role }) => role === 'system' || role === 'developer')) names.push('messages.system')
  return names
}

function unread(objects: readonly Readonly<Record<string, unknown>>[], knownKeys: readonly string[]): string[] {
  const names = new Set<string>()
  for (const object of objects) {
    for (const [key, value] of Object.entries(object)) {
      if (value !== null && value !== undefined && !knownKeys.includes(key)) names.add(key)
    }
  }
  return [...names]
}

/** How closely an image is to be looked at is not passed on. */
function asksForDetail({ messages }: CompletionBody): boolean {
  const parts = messages.flatMap(({ content }) => elementsOf(content)).map(fieldsOf)
  return parts.some(({ image_url: image }) => (fieldsOf(image)['detail'] ?? 'auto') !== 'auto')
}
