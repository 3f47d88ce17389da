import type { RouteCall, Runtime } from '../../../capability.ts'
import type { CallParameters, ResponseFormat } from '../../../model.ts'
import { defined } from '../../../platform.ts'
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
} from '../../../server.ts'
import type { Binding } from '../../../session.ts'
import { formatReaders, ignoredIn } from '../../../wire.ts'
import { type CompletionBody, ignoredFields } from './openai-schema.ts'

const chatCompletions = formatReaders['chat-completions']

/**
 * Reads a request. With `x-foreword-session` or `user`, its last message is submitted to that session, and is on disk when this
 * resolves. Otherwise its messages are the history of one call. Throws an `HttpFailure` for an invalid request.
 */
export async function openSource(
  runtime: Runtime,
  body: CompletionBody,
  call: Pick<RouteCall<unknown, unknown>, 'request' | 'caller'>,
): Promise<{ readonly source: CompletionSource; readonly ignored: readonly string[] }> {
  const to = namedSession(call.request, body.user)
  refuseUnsupported(body, UNSUPPORTED)
  const parts = [...chatCompletions.parts({ messages: body.messages })]
  const ignored = [...ignoredFields(body, to !== undefined), ...ignoredIn(parts)]
  const model = requestedModel(body.model)
  if (to !== undefined) {
    refuseToolsInSession(body.tools, '`user` and x-foreword-session')
    const { toolChoice: _gatewaysOwn, parallelToolCalls: _too, ...parameters } = callParameters(body)
    const source = await sessionSource(runtime, { ...lastInput(parts), to, model, parameters, ...call })
    return { source, ignored }
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
  return { source: { inSession: false, events: (signal) => runtime.complete({ ...input, signal }) }, ignored }
}

function callParameters(body: CompletionBody): CallParameters {
  const { stop, seed, reasoning_effort: reasoningEffort } = body
  const stops = typeof stop === 'string' ? [stop] : (stop ?? [])
  const responseFormat = readResponseFormat(body)
  const toolChoice = readToolChoice(body)
  return {
    ...commonParameters(body, (body.tools ?? []).length > 0),
    ...(stops.length > 0 ? { stop: stops } : {}),
    ...(typeof seed === 'number' ? { seed } : {}),
    ...(reasoningEffort ? { reasoningEffort } : {}),
    ...defined({ responseFormat, toolChoice }),
  }
}

type CommonFields = Pick<
  CompletionBody,
  'temperature' | 'top_p' | 'presence_penalty' | 'frequency_penalty' | 'parallel_tool_calls'
>

/** The parameters that both of OpenAI's formats have under the same names. */
export function commonParameters(body: CommonFields, offersTools: boolean): CallParameters {
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

function readResponseFormat({ response_format: format }: CompletionBody): ResponseFormat | undefined {
  if (!format || format.type === 'text') return undefined
  if (format.type === 'json_object') return { type: 'json' }
  return jsonFormat(format.json_schema)
}

function readToolChoice({ tool_choice: choice, tools }: CompletionBody): CallParameters['toolChoice'] {
  if (!choice || choice === 'auto' || choice === 'none') return undefined
  const offered = (tools ?? []).map((tool) => tool.function.name)
  return forcedTool(offered, choice === 'required' ? undefined : choice.function.name)
}

interface JsonSchemaFormat {
  readonly name: string
  readonly schema?: Readonly<Record<string, unknown>> | undefined
  readonly description?: string | null | undefined
  readonly strict?: boolean | null | undefined
}

export function jsonFormat({ name, schema = {}, description, strict }: JsonSchemaFormat): ResponseFormat {
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
