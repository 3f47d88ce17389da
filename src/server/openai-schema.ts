import { z } from 'zod'

const part = z.looseObject({ type: z.string(), text: z.string().optional() })
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
  }),
  z.looseObject({ role: z.literal('tool'), tool_call_id: z.string().min(1), content }),
])

const tool = z.looseObject({
  type: z.literal('function'),
  function: z.looseObject({
    name: z.string().min(1),
    description: z.string().nullish(),
    parameters: z.record(z.string(), z.unknown()).nullish(),
  }),
})

/** What is read of a chat completion request. Everything else is named in `x-foreword-ignored`. */
const known = {
  model: z.string().optional().describe('`foreword`, `default` or none: the configured model. Else `provider/model`.'),
  messages: z.array(message).min(1),
  stream: z.boolean().nullish(),
  stream_options: z.looseObject({ include_usage: z.boolean().nullish() }).nullish(),
  user: z
    .string()
    .min(1)
    .nullish()
    .describe('A conversation that is kept: the last user message is said in its session.'),
  tools: z.array(tool).nullish(),
  tool_choice: z.union([z.string(), z.looseObject({})]).nullish(),
  max_tokens: z.number().int().positive().nullish(),
  max_completion_tokens: z.number().int().positive().nullish(),
  temperature: z.number().min(0).max(2).nullish(),
  n: z.literal(1, 'only one choice is made').nullish(),
}

/** Unknown fields are let through: clients send more than anybody reads. */
export const completionBody = z.looseObject(known)

export type CompletionBody = z.output<typeof completionBody>
export type OpenaiMessage = z.output<typeof message>
export type OpenaiContent = z.output<typeof content>

/** Names of what the body holds and nobody reads. `inSession`: the session, not the caller, decides more. */
export function ignored(body: CompletionBody, inSession: boolean): readonly string[] {
  const names = Object.keys(body).filter((key) => !(key in known) && body[key] !== null && body[key] !== undefined)
  if (inSession) {
    for (const key of ['max_tokens', 'max_completion_tokens', 'temperature', 'tool_choice'] as const) {
      if (body[key] !== undefined && body[key] !== null) names.push(key)
    }
    if (body.messages.some(({ role }) => role === 'system' || role === 'developer')) names.push('messages.system')
  } else if (!['auto', 'none', undefined, null].includes(body.tool_choice as string | undefined)) {
    names.push('tool_choice')
  }
  return names
}
