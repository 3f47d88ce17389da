import { z } from 'zod'
import { MOST_MESSAGES } from '../../../server.ts'

/** What its content is is read where every body of this format is. */
const message = z.looseObject({ role: z.enum(['user', 'assistant', 'system']) })
const textBlock = z.looseObject({ type: z.literal('text'), text: z.string() })

const tool = z.looseObject({
  type: z.string().nullish(),
  name: z.string().optional(),
  description: z.string().nullish(),
  input_schema: z.record(z.string(), z.unknown()).nullish(),
  strict: z.boolean().nullish(),
})
const toolChoice = z.looseObject({
  type: z.enum(['auto', 'any', 'tool', 'none']),
  name: z.string().optional(),
  disable_parallel_tool_use: z.boolean().nullish(),
})
const thinking = z.looseObject({ type: z.string(), budget_tokens: z.number().nullish() })
const outputFormat = z.looseObject({
  type: z.literal('json_schema'),
  schema: z.record(z.string(), z.unknown()),
  name: z.string().nullish(),
})
const outputConfig = z.looseObject({ effort: z.string().nullish(), format: outputFormat.nullish() })

const known = {
  model: z
    .string()
    .optional()
    .describe(
      '`foreword`, `default` or none: the configured model. Else `provider/model`; `claude-…` is one of `anthropic`.',
    ),
  messages: z.array(message).min(1).max(MOST_MESSAGES),
  system: z.union([z.string(), z.array(textBlock)], 'expected a text or an array of text blocks').nullish(),
  max_tokens: z.number().int().positive().nullish(),
  stream: z.boolean().nullish(),
  tools: z.array(tool).nullish(),
  tool_choice: toolChoice.nullish(),
  temperature: z.number().min(0).max(1).nullish(),
  top_p: z.number().min(0).max(1).nullish(),
  top_k: z.number().int().nonnegative().nullish(),
  stop_sequences: z.array(z.string()).nullish(),
  thinking: thinking.nullish(),
  output_config: outputConfig.nullish(),
  output_format: outputFormat.nullish(),
}

/** The body of a request for a message. Unknown fields are allowed, because clients send many. */
export const messagesBody = z.looseObject(known)

export type MessagesBody = z.output<typeof messagesBody>

interface Reading {
  /** The session decides more, so more fields are ignored. */
  readonly inSession: boolean
  /** Whether the model can reason: otherwise it is not asked to. */
  readonly reasons: boolean
}

export function ignoredMessageFields(body: MessagesBody, { inSession, reasons }: Reading): readonly string[] {
  const names = [...unread([body], known, ''), ...ignoredWithin(body)]
  const { thinking: thought, output_config: output } = body
  if (thought && !reasons) names.push('thinking')
  if (typeof thought?.budget_tokens === 'number' && reasons) names.push('thinking.budget_tokens')
  if (output?.effort && !(reasons && effortOf(output.effort))) names.push('output_config.effort')
  if (inSession) {
    for (const key of ['max_tokens', 'tool_choice', 'system'] as const) if (body[key]) names.push(key)
    if (body.messages.some(({ role }) => role === 'system')) names.push('messages.system')
  }
  return [...new Set(names)]
}

/** The levels of Anthropic by the names that all providers share. `undefined` for an unknown one. */
export function effortOf(effort: string | null | undefined): 'low' | 'medium' | 'high' | 'xhigh' | undefined {
  if (effort === 'max') return 'xhigh'
  return effort === 'low' || effort === 'medium' || effort === 'high' || effort === 'xhigh' ? effort : undefined
}

/** The ignored fields within tools and options. */
function ignoredWithin({ tools, thinking: thought, output_config: output, tool_choice: choice }: MessagesBody) {
  return [
    ...unread(tools ?? [], tool.shape, 'tools.'),
    ...unread(thought ? [thought] : [], thinking.shape, 'thinking.'),
    ...unread(output ? [output] : [], outputConfig.shape, 'output_config.'),
    ...unread(choice ? [choice] : [], toolChoice.shape, 'tool_choice.'),
  ]
}

function unread(objects: readonly Readonly<Record<string, unknown>>[], shape: object, before: string): string[] {
  return objects.flatMap((object) =>
    Object.entries(object)
      .filter(([key, value]) => value !== null && value !== undefined && !Object.hasOwn(shape, key))
      .map(([key]) => `${before}${key}`),
  )
}
