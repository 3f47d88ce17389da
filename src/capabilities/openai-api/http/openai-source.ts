import type { RouteCall, Runtime } from '../../../capability.ts'
import { type CallParameters, type ResponseFormat, REASONING_EFFORTS } from '../../../model.ts'
import { defined, elementsOf, fieldsOf } from '../../../platform.ts'
import {
  callerInput,
  callerMessages,
  callerTool,
  type CompletionSource,
  forcedTool,
  lastInput,
  refuseToolsInSession,
  refuseUnsupported,
  requestedModel,
  sessionSource,
  unreadFields,
  MOST_MESSAGES,
} from '../../../server.ts'
import type { Binding } from '../../../session.ts'
import { formatReaders, ignoredIn } from '../../../wire.ts'
import { z } from 'zod'

const chatCompletions = formatReaders['chat-completions']

/**
 * Reads a request. With `x-foreword-session` or `user`, its last message is submitted to that session, and is on disk when this
 * resolves. Otherwise its messages are the history of one call. Throws an `HttpFailure` for an invalid request.
 */
export async function openSource(
  runtime: Runtime,
  body: CompletionBody,
  call: Pick<RouteCall<unknown, unknown>, 'request' | 'caller'>,
): Promise<CompletionSource> {
  const to = namedSession(call.request, body.user)
  refuseUnsupported(body, UNSUPPORTED)
  const parts = [...chatCompletions.parts({ messages: body.messages })]
  const ignored = [...ignoredFields(body, to !== undefined), ...ignoredIn(parts)]
  const model = requestedModel(body.model)
  if (to !== undefined) {
    refuseToolsInSession(body.tools, '`user` and x-foreword-session')
    const parameters = callParameters(body)
    return sessionSource(runtime, { ...lastInput(parts), to, model, parameters, ignored, ...call })
  }
  const input = callerInput(
    {
      messages: callerMessages(parts, 'messages', {
        orphan: (id) => `no assistant message before it made the call ${id}`,
        joinsTexts: true,
      }),
      tools: (body.tools ?? []).map(({ function: tool }) => callerTool(tool.name, tool)),
      usesNoTool: body.tool_choice === 'none',
      model,
      maxOutputTokens: body.max_completion_tokens ?? body.max_tokens,
      parameters: callParameters(body),
    },
    call,
  )
  return { inSession: false, ignored, events: (signal) => runtime.complete({ ...input, signal }) }
}

function callParameters(body: CompletionBody): CallParameters {
  const { stop, seed, reasoning_effort: reasoningEffort } = body
  const stops = typeof stop === 'string' ? [stop] : (stop ?? [])
  const responseFormat = readFormat(body.response_format)
  const { tool_choice: choice } = body
  const offered = (body.tools ?? []).map((tool) => tool.function.name)
  const isFree = !choice || choice === 'auto' || choice === 'none'
  const toolChoice = isFree ? undefined : forcedTool(offered, choice === 'required' ? undefined : choice.function.name)
  return {
    ...commonParameters(body, offered.length > 0),
    ...(stops.length > 0 ? { stop: stops } : {}),
    ...(typeof seed === 'number' ? { seed } : {}),
    ...(reasoningEffort ? { reasoningEffort } : {}),
    ...defined({ responseFormat, toolChoice }),
  }
}

/** Fields that both of OpenAI's formats have. */
export const commonFields = {
  model: z.string().optional().describe('`foreword`, `default` or none: the configured model. Else `provider/model`.'),
  stream: z.boolean().nullish(),
  parallel_tool_calls: z.boolean().nullish(),
  temperature: z.number().min(0).max(2).nullish(),
  top_p: z.number().min(0).max(1).nullish(),
  presence_penalty: z.number().min(-2).max(2).nullish(),
  frequency_penalty: z.number().min(-2).max(2).nullish(),
}

/** Of a tool, and of a schema for the answer. */
export const describedFields = {
  name: z.string().min(1),
  description: z.string().nullish(),
  strict: z.boolean().nullish(),
}

export function commonParameters(
  body: z.output<z.ZodObject<typeof commonFields>>,
  offersTools: boolean,
): CallParameters {
  const { temperature, top_p: topP, presence_penalty: presencePenalty, frequency_penalty: frequencyPenalty } = body
  const numbers = Object.entries({ temperature, topP, presencePenalty, frequencyPenalty })
  return {
    ...Object.fromEntries(numbers.filter(([, value]) => typeof value === 'number')),
    ...(body.parallel_tool_calls === false && offersTools ? { parallelToolCalls: false } : {}),
  }
}

const isEmpty = (value: unknown) => Object.keys(value as object).length === 0

const UNSUPPORTED: Parameters<typeof refuseUnsupported>[1] = {
  logprobs: { isUsual: (value) => value === false },
  top_logprobs: { isUsual: (value) => value === 0 },
  logit_bias: { isUsual: isEmpty },
  modalities: { isUsual: (value) => JSON.stringify(value) === '["text"]' },
  audio: {},
  functions: { isUsual: isEmpty },
  function_call: { isUsual: (value) => value === 'auto' || value === 'none' },
  web_search_options: {},
  verbosity: { isUsual: (value) => value === 'medium' },
}

type JsonSchemaFormat = z.output<z.ZodObject<typeof describedFields>> & Pick<ResponseFormat, 'schema'>

/** The format of an answer: Chat Completions has that of JSON with a schema one level deeper. */
export function readFormat(format: { readonly type: string } | null | undefined): ResponseFormat | undefined {
  if (!format || format.type === 'text') return undefined
  if (format.type === 'json_object') return { type: 'json' }
  const { name, schema = {}, description, strict } = (fieldsOf(format)['json_schema'] ?? format) as JsonSchemaFormat
  return {
    type: 'json',
    name,
    schema,
    ...(description ? { description } : {}),
    ...(typeof strict === 'boolean' ? { strict } : {}),
  }
}

/**
 * The session named by `x-foreword-session` (an id or `new`), else by the conversation in `user`; `undefined`: none.
 */
export function namedSession(request: Request, user: string | null | undefined): string | Binding | undefined {
  const session = request.headers.get('x-foreword-session')
  if (session !== null) return session
  return user ? { channel: CHANNEL, conversation: user } : undefined
}

const CHANNEL = 'openai'

/** What its content and its calls are is read where every body of this format is. */
const message = z.looseObject({ role: z.enum(['system', 'developer', 'user', 'assistant', 'tool']) })

const tool = z.looseObject({
  type: z.literal('function'),
  function: z.looseObject({ ...describedFields, parameters: z.record(z.string(), z.unknown()).nullish() }),
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
    json_schema: z.looseObject({ ...describedFields, schema: z.record(z.string(), z.unknown()).optional() }),
  }),
])

const known = {
  ...commonFields,
  messages: z.array(message).min(1).max(MOST_MESSAGES),
  stream_options: z.looseObject({ include_usage: z.boolean().nullish() }).nullish(),
  user: z
    .string()
    .min(1)
    .nullish()
    .describe('A conversation that Foreword keeps: the last user message continues its session.'),
  tools: z.array(tool).nullish(),
  tool_choice: toolChoice.nullish(),
  max_tokens: z.number().int().positive().nullish(),
  max_completion_tokens: z.number().int().positive().nullish(),
  stop: z.union([z.string(), z.array(z.string())]).nullish(),
  seed: z.number().int().nullish(),
  response_format: responseFormat.nullish(),
  reasoning_effort: z.enum(REASONING_EFFORTS).nullish(),
  n: z.literal(1, '`n` must be 1: only one choice is made').nullish(),
}

export const completionBody = z.looseObject(known)

export type CompletionBody = z.output<typeof completionBody>
/** `inSession`: the session decides more, so more fields are ignored. */
function ignoredFields(body: CompletionBody, inSession: boolean): readonly string[] {
  const functions = (body.tools ?? []).map((each) => each.function)
  const names = [
    ...unreadFields(body, Object.keys(known)),
    ...unreadFields(functions, Object.keys(tool.shape.function.shape), 'tools.function.'),
  ]
  const said = body.messages.flatMap(({ content }) => elementsOf(content)).map(fieldsOf)
  // How closely an image is to be looked at is not passed on.
  const isDetailed = said.some(({ image_url: image }) => (fieldsOf(image)['detail'] ?? 'auto') !== 'auto')
  if (isDetailed) names.push('image_url.detail')
  if (!inSession) return names
  for (const key of ['max_tokens', 'max_completion_tokens', 'tool_choice'] as const) {
    if (body[key] !== undefined && body[key] !== null && body[key] !== 'auto') names.push(key)
  }
  if (body.messages.some(({ role }) => role === 'system' || role === 'developer')) names.push('messages.system')
  return names
}
