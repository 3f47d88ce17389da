import type { RouteCall, Runtime } from '../../../capability.ts'
import { type CallParameters, type ResponseFormat } from '../../../model.ts'
import { defined } from '../../../platform.ts'
import {
  completionHeaders,
  type CompletionSource,
  HttpFailure,
  requestedModel,
  sessionSource,
} from '../../../server.ts'
import { jsonFormat } from './json-format.ts'
import { namedSession } from './named-session.ts'
import { coreMessages, lastInput, toolDefinitions } from './openai-messages.ts'
import type { CompletionBody } from './openai-schema.ts'

/**
 * Reads a request. With `x-foreword-session` or `user`, its last message is submitted to that session, and is on disk when this
 * resolves. Otherwise its messages are the history of one call. Throws an `HttpFailure` for an invalid request.
 */
export async function openSource(
  runtime: Runtime,
  body: CompletionBody,
  { request, caller }: Pick<RouteCall<unknown, unknown>, 'request' | 'caller'>,
): Promise<CompletionSource> {
  const to = namedSession(request, body.user)
  refuseUnsupported(body)
  if (to === undefined) return outsideSessions(runtime, body, { request, caller })
  checkOwnTools(body)
  const { toolChoice: _gatewaysOwn, parallelToolCalls: _too, ...parameters } = callParameters(body)
  return sessionSource(runtime, {
    ...lastInput(body.messages),
    to,
    model: requestedModel(body.model),
    parameters,
    request,
    caller,
  })
}

function checkOwnTools({ tools }: CompletionBody): void {
  if (!tools?.length) return
  throw new HttpFailure(
    'invalid-input',
    'Invalid request: in a session the gateway runs its own tools, so `tools` is not allowed. ' +
      'Remove `tools`, or remove `user` and x-foreword-session.',
  )
}

function outsideSessions(
  runtime: Runtime,
  body: CompletionBody,
  { request, caller }: Pick<RouteCall<unknown, unknown>, 'request' | 'caller'>,
): CompletionSource {
  const messages = coreMessages(body.messages)
  if (messages.every(({ role }) => role === 'system')) {
    throw new HttpFailure('invalid-input', 'Invalid request: `messages` has nothing to answer.', {
      parameter: 'messages',
    })
  }
  const tools = toolDefinitions(body)
  const most = body.max_completion_tokens ?? body.max_tokens
  const parameters = callParameters(body)
  const input = {
    messages,
    ...(tools.length === 0 ? {} : { tools }),
    ...(body.tool_choice === 'none' ? { toolChoice: 'none' as const } : {}),
    ...defined({ model: requestedModel(body.model), token: caller.name }),
    ...(typeof most === 'number' ? { maxOutputTokens: most } : {}),
    ...(Object.keys(parameters).length === 0 ? {} : { parameters }),
    ...completionHeaders(request),
  }
  return { inSession: false, events: (signal) => runtime.complete({ ...input, signal }) }
}

function callParameters(body: CompletionBody): CallParameters {
  const { temperature, top_p: topP, stop, seed, presence_penalty: presencePenalty } = body
  const { frequency_penalty: frequencyPenalty, reasoning_effort: reasoningEffort, parallel_tool_calls: parallel } = body
  const stops = typeof stop === 'string' ? [stop] : (stop ?? [])
  const responseFormat = readResponseFormat(body)
  const toolChoice = readToolChoice(body)
  const offersTools = (body.tools ?? []).length > 0
  return {
    ...(typeof temperature === 'number' ? { temperature } : {}),
    ...(typeof topP === 'number' ? { topP } : {}),
    ...(stops.length > 0 ? { stop: stops } : {}),
    ...(typeof seed === 'number' ? { seed } : {}),
    ...(typeof presencePenalty === 'number' ? { presencePenalty } : {}),
    ...(typeof frequencyPenalty === 'number' ? { frequencyPenalty } : {}),
    ...(reasoningEffort ? { reasoningEffort } : {}),
    ...(responseFormat ? { responseFormat } : {}),
    ...(toolChoice ? { toolChoice } : {}),
    ...(parallel === false && offersTools ? { parallelToolCalls: false } : {}),
  }
}

/**
 * Throws for a field that this endpoint does not support, unless its value asks for the default behaviour: to ignore
 * it would change what the caller means.
 */
function refuseUnsupported(body: CompletionBody): void {
  for (const [name, isUsual] of Object.entries(UNSUPPORTED)) {
    const value = body[name]
    if (value === undefined || value === null || isUsual(value)) continue
    throw new HttpFailure(
      'unsupported-parameter',
      `Unsupported parameter: \`${name}\` is not supported here. Leave it out.`,
      { parameter: name },
    )
  }
}

const never = () => false
const isFalse = (value: unknown) => value === false
const isEmpty = (value: unknown) => Object.keys(value as object).length === 0

const UNSUPPORTED: Readonly<Record<string, (value: unknown) => boolean>> = {
  logprobs: isFalse,
  top_logprobs: (value) => value === 0,
  logit_bias: isEmpty,
  modalities: (value) => JSON.stringify(value) === '["text"]',
  audio: never,
  functions: isEmpty,
  function_call: (value) => value === 'auto' || value === 'none',
  web_search_options: never,
  verbosity: (value) => value === 'medium',
}

function readResponseFormat({ response_format: format }: CompletionBody): ResponseFormat | undefined {
  if (!format || format.type === 'text') return undefined
  if (format.type === 'json_object') return { type: 'json' }
  return jsonFormat(format.json_schema)
}

function readToolChoice({ tool_choice: choice, tools }: CompletionBody): CallParameters['toolChoice'] {
  if (!choice || choice === 'auto' || choice === 'none') return undefined
  const name = choice === 'required' ? undefined : choice.function.name
  const isOffered = (tools ?? []).some((tool) => name === undefined || tool.function.name === name)
  if (!isOffered) {
    const which = name === undefined ? 'no tool' : `no tool named ${name}`
    const message = `Invalid request: \`tool_choice\` needs a tool, and \`tools\` has ${which}.`
    throw new HttpFailure('invalid-input', message, { parameter: 'tool_choice' })
  }
  return name === undefined ? 'required' : { toolName: name }
}
