import type { CompletionInput, RouteCall, Runtime } from '../../../capability.ts'
import type { ToolDefinition } from '../../../context.ts'
import type { CallParameters } from '../../../model.ts'
import { defined, fieldsOf } from '../../../platform.ts'
import {
  callerInput,
  callerMessages,
  callerTool,
  type CompletionSource,
  forcedTool,
  HttpFailure,
  lastInput,
  refuseToolsInSession,
  refuseUnsupported,
  requestedModel,
  sessionSource,
  unreadFields,
  MOST_MESSAGES,
} from '../../../server.ts'
import { formatReaders, ignoredIn, type WirePart } from '../../../wire.ts'
import { readSignature } from './anthropic-answer.ts'
import { z } from 'zod'

type Asking = Pick<RouteCall<unknown, unknown>, 'request' | 'caller'>

export async function messageSource(runtime: Runtime, body: MessagesBody, asking: Asking): Promise<CompletionSource> {
  const to = asking.request.headers.get('x-foreword-session')
  refuseServers(body)
  const reasons = await canReason(runtime, body)
  const parts = partsOf(body)
  const ignored = [...ignoredMessageFields(body, { inSession: to !== null, reasons }), ...ignoredIn(parts)]
  if (to === null) {
    const input = completionInput(body, parts, asking, reasons)
    return { inSession: false, ignored, events: (signal) => runtime.complete({ ...input, signal }) }
  }
  refuseToolsInSession(body.tools, 'x-foreword-session')
  const parameters = callParameters(body, reasons)
  return sessionSource(runtime, { ...lastInput(parts), to, model: modelOf(body), parameters, ignored, ...asking })
}

/** The call that the same body would make. */
export async function countedInput(runtime: Runtime, body: MessagesBody, asking: Asking): Promise<CompletionInput> {
  refuseServers(body)
  if (asking.request.headers.has('x-foreword-session')) {
    throw new HttpFailure(
      'invalid-input',
      'Invalid request: only a call outside sessions is counted here. POST /api/context shows the next call of a session.',
    )
  }
  return completionInput(body, partsOf(body), asking, await canReason(runtime, body))
}

function partsOf({ system, messages }: MessagesBody): readonly WirePart[] {
  return [...formatReaders.messages.parts({ system, messages })]
}

function completionInput(
  body: MessagesBody,
  parts: readonly WirePart[],
  asking: Asking,
  reasons: boolean,
): CompletionInput {
  const messages = callerMessages(parts, 'messages', {
    orphan: (id) =>
      `unexpected \`tool_use_id\` in a \`tool_result\` block: no message before it has a \`tool_use\` block with the id ${JSON.stringify(id)}`,
    sealed: (data, { isRedacted }) => (isRedacted ? { anthropic: { redactedData: data } } : readSignature(data)),
  })
  return callerInput(
    {
      messages,
      tools: clientTools(body),
      usesNoTool: body.tool_choice?.type === 'none',
      model: modelOf(body),
      maxOutputTokens: body.max_tokens,
      // Anthropic's clients have to name a most, and name a large one even where the answer is a title.
      answerRoom: 'left',
      parameters: callParameters(body, reasons),
    },
    asking,
  )
}

/** Fields that make Anthropic's servers act. */
const SERVERS: Parameters<typeof refuseUnsupported>[1] = {
  mcp_servers: { isUsual: isEmptyList, instead: "It is for Anthropic's servers. Leave it out." },
  container: { isUsual: isEmptyList, instead: "It is for Anthropic's servers. Leave it out." },
}

function isEmptyList(value: unknown): boolean {
  return Array.isArray(value) && value.length === 0
}

/** A name of Claude without a provider is one of Anthropic's. */
function modelOf({ model }: MessagesBody): string | undefined {
  return requestedModel(model !== undefined && /^claude-[^/]*$/.test(model) ? `anthropic/${model}` : model)
}

/** Agents ask every model to reason. One that cannot is not asked to; asked only where it matters. */
async function canReason(runtime: Runtime, body: MessagesBody): Promise<boolean> {
  if (!body.thinking && !body.output_config?.effort) return false
  return (await runtime.model(modelOf(body))).facts.reasoning
}

/** The parameters of a request besides its messages and tools. Absent ones have no key. */
function callParameters(body: MessagesBody, reasons: boolean): CallParameters {
  const { temperature, top_p: topP, top_k: topK, stop_sequences: stop, tool_choice: choice } = body
  const format = body.output_config?.format ?? body.output_format ?? undefined
  const name = format?.name || undefined
  const responseFormat = format && { type: 'json' as const, schema: format.schema, ...defined({ name }) }
  const reasoningEffort = reasons ? readEffort(body) : undefined
  const toolChoice = toolChoiceOf(body)
  const isSingle = choice?.disable_parallel_tool_use === true && (body.tools ?? []).length > 0 && choice.type !== 'none'
  return {
    ...Object.fromEntries(Object.entries({ temperature, topP, topK }).filter(([, value]) => typeof value === 'number')),
    ...(stop?.length ? { stop } : {}),
    ...defined({ responseFormat, reasoningEffort, toolChoice }),
    ...(isSingle ? { parallelToolCalls: false } : {}),
  }
}

/** Without a named effort, the share of the answer that may be thinking. */
function readEffort({
  thinking,
  output_config: output,
  max_tokens: most,
}: MessagesBody): CallParameters['reasoningEffort'] {
  if (thinking?.type === 'disabled') return 'none'
  const named = effortOf(output?.effort)
  if (named !== undefined || !thinking) return named
  const share = (thinking.budget_tokens ?? Infinity) / (most ?? 1)
  return share <= 0.25 ? 'low' : share <= 0.5 ? 'medium' : 'high'
}

/**
 * Throws for a field that makes Anthropic's servers act: to ignore it would change what the caller means. No thread is kept here,
 * so one that should go on is not found, and clients send the whole conversation again.
 */
function refuseServers(body: MessagesBody): void {
  if (fieldsOf(body['thread'])['type'] === 'continue') {
    throw new HttpFailure(
      'not-found',
      'Thread not found: this gateway keeps no threads. Send the whole conversation in `messages`, or name a session with x-foreword-session.',
      { parameter: 'thread', details: { error_code: 'thread_not_found' } },
    )
  }
  refuseUnsupported(body, SERVERS)
}

/** The tools that the caller's program runs. Throws an `HttpFailure` for one that Anthropic defines. */
function clientTools({ tools }: MessagesBody): readonly ToolDefinition[] {
  return (tools ?? []).map(({ type, name, description, input_schema: parameters, strict }, at) => {
    const where = `tools.${at}`
    if (type && type !== 'custom') {
      throw new HttpFailure(
        'unsupported-parameter',
        `${where}: ${type} is a tool that Anthropic defines. This gateway passes on only tools with an \`input_schema\`, which your ` +
          'program runs. Leave it out.',
        { parameter: where },
      )
    }
    if (!name)
      throw new HttpFailure('invalid-input', `${where}.name: a tool needs a name.`, { parameter: `${where}.name` })
    return callerTool(name, { description, parameters, strict })
  })
}

/** The tool that the model has to call: any, or one by its name. Throws an `HttpFailure` for one that is not offered. */
function toolChoiceOf({ tool_choice: choice, tools }: MessagesBody): CallParameters['toolChoice'] {
  if (!choice || choice.type === 'auto' || choice.type === 'none') return undefined
  if (choice.type === 'tool' && choice.name === undefined) {
    throw new HttpFailure('invalid-input', 'tool_choice.name: the type `tool` needs a name.', {
      parameter: 'tool_choice',
    })
  }
  const offered = (tools ?? []).flatMap(({ name }) => name ?? [])
  return forcedTool(offered, choice.type === 'any' ? undefined : choice.name)
}

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

/** `inSession`: the session decides more, so more fields are ignored. `reasons`: the model can reason, else it is not asked to. */
function ignoredMessageFields(
  body: MessagesBody,
  { inSession, reasons }: { readonly inSession: boolean; readonly reasons: boolean },
): readonly string[] {
  const { tools, thinking: thought, output_config: output, tool_choice: choice } = body
  const names = [
    ...unreadFields(body, Object.keys(known)),
    ...unreadFields(tools, Object.keys(tool.shape), 'tools.'),
    ...unreadFields(thought, Object.keys(thinking.shape), 'thinking.'),
    ...unreadFields(output, Object.keys(outputConfig.shape), 'output_config.'),
    ...unreadFields(choice, Object.keys(toolChoice.shape), 'tool_choice.'),
  ]
  if (thought && !reasons) names.push('thinking')
  if (typeof thought?.budget_tokens === 'number' && reasons) names.push('thinking.budget_tokens')
  if (output?.effort && !(reasons && effortOf(output.effort))) names.push('output_config.effort')
  if (inSession) {
    for (const key of ['max_tokens', 'tool_choice', 'system'] as const) if (body[key]) names.push(key)
    if (body.messages.some(({ role }) => role === 'system')) names.push('messages.system')
  }
  return names
}

/** The levels of Anthropic by the names that all providers share. `undefined` for an unknown one. */
function effortOf(effort: string | null | undefined): 'low' | 'medium' | 'high' | 'xhigh' | undefined {
  return effort === 'max' ? 'xhigh' : (['low', 'medium', 'high', 'xhigh'] as const).find((level) => level === effort)
}
