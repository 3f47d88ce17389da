import type { RouteCall, Runtime } from '../../../capability.ts'
import type { CallParameters, ResponseFormat } from '../../../model.ts'
import { defined, parseJson } from '../../../platform.ts'
import {
  completionHeaders,
  type CompletionSource,
  HttpFailure,
  requestedModel,
  sessionSource,
  filePart,
  imageFile,
  type InlineFile,
  inlineFile,
} from '../../../server.ts'
import type { CompletionBody, OpenaiContent, OpenaiMessage, OpenaiPart } from './openai-schema.ts'
import type { AnyMessage, Message, ToolDefinition, UserMessage } from '../../../context.ts'
import type { Binding } from '../../../session.ts'

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

/** Throws for an unsupported field unless it asks for the default: to ignore it would change what the caller means. */
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

/** Throws an `HttpFailure` for an invalid request. */
function coreMessages(messages: readonly OpenaiMessage[]): readonly AnyMessage[] {
  const toolNames = new Map<string, string>()
  const own = messages.map((message, at): AnyMessage => {
    const where = `messages.${at}`
    switch (message.role) {
      case 'system':
      case 'developer':
        return { role: 'system', content: textContent(message.content, where) }
      case 'user':
        return { role: 'user', content: userContent(message.content, where) }
      case 'assistant':
        for (const call of message.tool_calls ?? []) toolNames.set(call.id, call.function.name)
        return assistantMessage(message, where)
      case 'tool':
        return toolMessage(message, toolNames, where)
    }
  })
  return joinResults(own)
}

/** The last message, which must be the user's. */
function lastInput(messages: readonly OpenaiMessage[]): ReturnType<typeof textAndFiles> {
  const at = messages.length - 1
  const last = messages[at]!
  if (last.role !== 'user') {
    throw new HttpFailure('invalid-input', 'Invalid request: in a session, the last message must have the role user.')
  }
  const said = textAndFiles(last.content, `messages.${at}`)
  if (said.text.trim() === '' && said.files.length === 0) {
    throw new HttpFailure('invalid-input', 'Invalid request: the last message is empty.')
  }
  return said
}

function toolDefinitions({ tools }: CompletionBody): readonly ToolDefinition[] {
  return (tools ?? []).map(({ function: { name, description, parameters, strict } }) => ({
    name,
    ...(description ? { description } : {}),
    inputSchema: parameters ?? { type: 'object', properties: {} },
    ...(typeof strict === 'boolean' ? { strict } : {}),
  }))
}

function assistantMessage(message: Extract<OpenaiMessage, { role: 'assistant' }>, where: string): Message {
  const text = message.content ? textContent(message.content, where) : ''
  const calls = (message.tool_calls ?? []).map((call) => ({
    type: 'tool-call' as const,
    toolCallId: call.id,
    toolName: call.function.name,
    // Arguments that are not JSON stay as text.
    input: parseJson(call.function.arguments || '{}', call.function.arguments),
  }))
  const thought = message.reasoning_content ?? message.reasoning ?? ''
  const reasoning = thought === '' ? [] : [{ type: 'reasoning' as const, text: thought }]
  if (calls.length === 0 && reasoning.length === 0) return { role: 'assistant', content: text }
  const words = text === '' && calls.length > 0 ? [] : [{ type: 'text' as const, text }]
  return { role: 'assistant', content: [...reasoning, ...words, ...calls] }
}

function toolMessage(
  message: Extract<OpenaiMessage, { role: 'tool' }>,
  toolNames: ReadonlyMap<string, string>,
  where: string,
): Message {
  const toolCallId = message.tool_call_id
  const toolName = toolNames.get(toolCallId)
  if (toolName === undefined) {
    throw new HttpFailure('invalid-input', `${where}: no assistant message before it made the call ${toolCallId}.`)
  }
  const output = { type: 'text' as const, value: textContent(message.content, where) }
  return { role: 'tool', content: [{ type: 'tool-result', toolCallId, toolName, output }] }
}

function joinResults(messages: readonly AnyMessage[]): readonly AnyMessage[] {
  const joined: AnyMessage[] = []
  for (const message of messages) {
    const before = joined.at(-1)
    if (message.role === 'tool' && before?.role === 'tool') {
      joined[joined.length - 1] = { role: 'tool', content: [...before.content, ...message.content] }
    } else {
      joined.push(message)
    }
  }
  return joined
}

type Part = Exclude<UserMessage['content'], string>[number]

function userContent(content: OpenaiContent, where: string): UserMessage['content'] {
  if (typeof content === 'string') return content
  return content.map((part, at) => userPart(part, `${where}.content.${at}`))
}

function textAndFiles(
  content: OpenaiContent,
  where: string,
): { readonly text: string; readonly files: readonly InlineFile[] } {
  if (typeof content === 'string') return { text: content, files: [] }
  const texts: string[] = []
  const files: InlineFile[] = []
  for (const [at, part] of content.entries()) {
    const file = readFilePart(part, `${where}.content.${at}`)
    if (file) files.push(file)
    else texts.push(readTextPart(part, `${where}.content.${at}`))
  }
  return { text: texts.join('\n'), files }
}

function textContent(content: OpenaiContent, where: string): string {
  if (typeof content === 'string') return content
  return content.map((part, at) => readTextPart(part, `${where}.content.${at}`)).join('\n')
}

function userPart(part: OpenaiPart, where: string): Part {
  const file = readFilePart(part, where)
  if (!file) return { type: 'text', text: readTextPart(part, where) }
  return filePart(file)
}

function readFilePart(part: OpenaiPart, where: string): InlineFile | undefined {
  if (part.type === 'image_url') {
    const url = typeof part.image_url === 'string' ? part.image_url : (part.image_url?.url ?? '')
    return imageFile(inlineFile(url, `${where}.image_url.url`), `${where}.image_url.url`)
  }
  if (part.type !== 'file') return undefined
  const { file_data: url, filename } = part.file ?? {}
  if (url === undefined)
    throw unsupportedPart(where, 'a file must be a data: URL in `file_data`. File ids are not supported')
  return inlineFile(url, `${where}.file.file_data`, filename ?? undefined)
}

function readTextPart({ type, text, refusal }: OpenaiPart, where: string): string {
  const words = type === 'refusal' ? refusal : text
  if ((type === 'text' || type === 'refusal') && words !== undefined) return words
  throw unsupportedPart(where, `a part of type ${type} is not supported`)
}

function unsupportedPart(where: string, why: string): HttpFailure {
  return new HttpFailure('invalid-input', `${where}: ${why}.`, { parameter: where })
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
