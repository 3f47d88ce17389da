import type { RouteCall, Runtime, CompletionEvent, CompletionInput, Caller } from '../../../capability.ts'
import { defined, fieldsOf } from '../../../platform.ts'
import {
  callerInput,
  callerMessages,
  type CompletionSource,
  forcedTool,
  HttpFailure,
  lastInput,
  refuseToolsInSession,
  refuseUnsupported,
  requestedModel,
  sessionSource,
  type SessionMessage,
  unreadFields,
} from '../../../server.ts'
import { formatReaders, ignoredIn } from '../../../wire.ts'
import { commonParameters, namedSession, readFormat } from '../http/openai-source.ts'
import type { KeptResponses } from './kept-responses.ts'
import { type ResponseBody, type ResponseItem, responseBody, responseId } from './response-schema.ts'
import { inputItems, readableItem, type OfferedTool, responseTools } from './response-tools.ts'
import type { CallParameters } from '../../../model.ts'

export interface ResponseSource extends CompletionSource {
  readonly tools: readonly OfferedTool[]
  /** The items that the request adds. Empty in a session, which keeps them itself. */
  readonly input: readonly ResponseItem[]
}

interface SourceParts {
  readonly runtime: Runtime
  readonly kept: KeptResponses
  readonly unable: SerialCallModels
}

type SessionTarget = Pick<SessionMessage, 'to' | 'from'>
type ResponseCall = Pick<RouteCall<unknown, unknown>, 'request' | 'caller'>

/**
 * In a session, the last item is submitted and is on disk when this resolves. Otherwise the conversation is that of
 * the response before it, and the own items. Throws an `HttpFailure` for an invalid request.
 */
export async function openResponseSource(
  { runtime, kept, unable }: SourceParts,
  body: ResponseBody,
  call: ResponseCall,
): Promise<ResponseSource> {
  refuseUnsupported(body, UNSUPPORTED)
  const target = await targetOf(runtime, body, call.request)
  if (!target) {
    const { completion, items: _, ...outside } = await conversationInput({ kept }, body, call)
    const ignored = [...outside.ignored]
    const leftOut = () => void ignored.push('parallel_tool_calls')
    const events = (signal: AbortSignal) => completeAnyModel(runtime, { ...completion, signal }, { unable, leftOut })
    return { inSession: false, ...outside, ignored, events }
  }
  refuseToolsInSession(body.tools, '`user`, x-foreword-session and the `previous_response_id` of a session')
  const parameters = responseParameters({ ...body, tool_choice: undefined }, [])
  const parts = [...responses.parts({ input: inputItems(body).map(readableItem) })]
  const model = requestedModel(body.model)
  const said = lastInput(parts, 'the last item must be a message with the role user', { parameter: 'input' })
  const ignored = [...ignoredResponseFields(body, true), ...ignoredIn(parts)]
  const source = await sessionSource(runtime, { ...said, ...target, model, parameters, ignored, ...call })
  return { ...source, tools: [], input: [] }
}

const responses = formatReaders.responses

async function targetOf(runtime: Runtime, body: ResponseBody, request: Request): Promise<SessionTarget | undefined> {
  const to = namedSession(request, body.user)
  const previous = body.previous_response_id
  if (!previous) return to === undefined ? undefined : { to }
  if (!previous.includes('.')) {
    if (to === undefined) return undefined
    const why = `Invalid request: ${previous} belongs to no session. Remove \`user\` and x-foreword-session, or \`previous_response_id\`.`
    throw new HttpFailure('invalid-input', why, { parameter: 'previous_response_id' })
  }
  const turn = await responseTurn(runtime, previous)
  if (!turn) throw previousNotFound(previous)
  if (typeof to === 'string' && to !== turn.session) {
    const why = `Invalid request: ${previous} belongs to the session ${turn.session}, and x-foreword-session names ${to}.`
    throw new HttpFailure('invalid-input', why, { parameter: 'previous_response_id' })
  }
  return { to: turn.session, from: turn.turn }
}

/** What a request outside sessions would send. Throws an `HttpFailure` for an invalid one, and for one of a session. */
export async function outsideInput(
  parts: Omit<SourceParts, 'unable'>,
  body: ResponseBody,
  call: ResponseCall,
): Promise<OutsideInput> {
  refuseUnsupported(body, UNSUPPORTED)
  if ((await targetOf(parts.runtime, body, call.request)) === undefined) return conversationInput(parts, body, call)
  throw new HttpFailure(
    'invalid-input',
    'Invalid request: this is for calls outside sessions. POST /api/context shows the next call of a session, which makes its own notes.',
  )
}

export interface OutsideInput extends Pick<ResponseSource, 'tools' | 'input' | 'ignored'> {
  readonly completion: CompletionInput
  /** Those of the responses before it, and its own. */
  readonly items: readonly ResponseItem[]
}

async function conversationInput(
  { kept }: Pick<SourceParts, 'kept'>,
  body: ResponseBody,
  call: ResponseCall,
): Promise<OutsideInput> {
  const { previous_response_id: previous, instructions } = body
  const earlier = previous ? await keptConversation(kept, previous, call.caller) : []
  const input = await withReferencedItems(kept, inputItems(body), call.caller)
  const items = [...earlier, ...input]
  const parts = [...responses.parts({ instructions, input: items.map(readableItem) })]
  const messages = callerMessages(parts, 'input', {
    // The sentence is OpenAI's own.
    orphan: (id) => `No tool call found for function call output with call_id ${id}`,
    joinsItems: true,
  })
  const { tools, left } = responseTools(body)
  const allowed = typeof body.tool_choice === 'object' ? body.tool_choice : undefined
  const cut: CompletionInput['cut'] = body.truncation === 'disabled' ? 'none' : (body.truncation ?? undefined)
  const completion = callerInput(
    {
      messages,
      tools: tools.map(({ definition }) => definition),
      usesNoTool: body.tool_choice === 'none' || (allowed?.type === 'allowed_tools' && allowed['mode'] === 'none'),
      model: requestedModel(body.model),
      maxOutputTokens: body.max_output_tokens,
      parameters: responseParameters(body, tools),
    },
    call,
  )
  const ignored = [...ignoredResponseFields(body, false), ...left, ...ignoredIn(parts)]
  return { completion: { ...defined({ cut }), ...completion }, tools, input, items, ignored }
}

function responseParameters(body: ResponseBody, tools: readonly OfferedTool[]): CallParameters {
  const responseFormat = readFormat(body.text?.format)
  const toolChoice = readChoice(body.tool_choice, tools)
  const reasoningEffort = body.reasoning?.effort ?? undefined
  return { ...commonParameters(body, tools.length > 0), ...defined({ reasoningEffort, responseFormat, toolChoice }) }
}

const UNSUPPORTED: Parameters<typeof refuseUnsupported>[1] = {
  background: {
    isUsual: (value) => value === false,
    instead: 'Leave it out, and stream the response; a turn of a session goes on if you disconnect.',
  },
  conversation: { instead: 'Name the conversation with `user`, `x-foreword-session` or `previous_response_id`.' },
  prompt: { instead: 'Send its text as `instructions`.' },
  context_management: { instead: 'Leave it out; `truncation` says what happens to an input that does not fit.' },
  top_logprobs: { isUsual: (value) => value === 0, instead: 'Leave it out.' },
}

function ignoredResponseFields(body: ResponseBody, inSession: boolean): readonly string[] {
  const { text, reasoning, include, tool_choice: choice } = body as ResponseBody & { readonly include?: unknown }
  const names = [
    ...unreadFields(body, NAMED_ELSEWHERE),
    ...unreadFields(text, ['format'], 'text.'),
    ...unreadFields(reasoning, ['effort', 'summary'], 'reasoning.'),
  ]
  if (Array.isArray(include)) names.push(...include.map((each) => `include.${String(each)}`))
  if (!inSession) return names
  for (const key of ['instructions', 'max_output_tokens', 'truncation'] as const) if (body[key]) names.push(key)
  if (choice !== undefined && choice !== null && choice !== 'auto') names.push('tool_choice')
  if (Array.isArray(body.input) && body.input.length > 1) names.push('input.earlier')
  return names
}

const NAMED_ELSEWHERE = [...Object.keys(responseBody.shape), ...Object.keys(UNSUPPORTED), 'include']

function readChoice(
  choice: ResponseBody['tool_choice'],
  tools: readonly OfferedTool[],
): CallParameters['toolChoice'] | undefined {
  if (!choice || choice === 'auto' || choice === 'none') return undefined
  const offered = tools.map(({ definition }) => definition.name)
  if (choice === 'required') return forcedTool(offered, undefined)
  if (typeof choice === 'string') return forcedTool([], choice)
  const { type, name } = choice
  if (type === 'allowed_tools') return choice['mode'] === 'required' ? forcedTool(offered, undefined) : undefined
  const wanted = name ?? type
  return forcedTool(offered, tools.find((tool) => tool.name === wanted)?.definition.name ?? wanted)
}

/** Models whose provider has no place for `parallel_tool_calls: false`, by their ids. They are learned from its refusals. */
export type SerialCallModels = Set<string>

/**
 * One call outside sessions. Codex sends `parallel_tool_calls: false` for every model that it does not know; where
 * the provider has no place for that field, the call is made without it, and `leftOut` is told.
 */
async function* completeAnyModel(
  runtime: Pick<Runtime, 'complete' | 'model'>,
  input: CompletionInput,
  { unable, leftOut }: { readonly unable: SerialCallModels; readonly leftOut: () => void },
): AsyncGenerator<CompletionEvent> {
  if (input.parameters?.parallelToolCalls === undefined) return yield* runtime.complete(input)
  const { id } = await runtime.model(input.model)
  if (!unable.has(id)) {
    let begun = false
    try {
      for await (const event of runtime.complete(input)) {
        begun ||= event.type !== 'call-start'
        yield event
      }
      return
    } catch (error) {
      const { code, facts } = fieldsOf(error)
      const refused = code === 'unsupported-parameter' && fieldsOf(facts)['parameter'] === 'parallel_tool_calls'
      if (begun || !refused) throw error
      unable.add(id)
    }
  }
  leftOut()
  const { parallelToolCalls: _refused, ...parameters } = input.parameters
  yield* runtime.complete({ ...input, parameters })
}

export interface ResponseTurn {
  readonly session: string
  readonly turn: string
}

export function turnKey({ session, turn }: ResponseTurn): string {
  return `${session}.${turn}`
}

/** `undefined` for the id of a response outside sessions, and where there is no such turn. */
export async function responseTurn({ store }: Pick<Runtime, 'store'>, id: string): Promise<ResponseTurn | undefined> {
  const [, session, turn] = /^resp_(.+)\.([^.]+)$/.exec(id) ?? []
  if (session === undefined || turn === undefined) return undefined
  return (await store.turn(session, turn)) ? { session, turn } : undefined
}

/** Items of a kept response and all before it. Throws an `HttpFailure` where one is not kept for this caller. */
export async function keptConversation(
  kept: KeptResponses,
  id: string,
  caller: Caller,
): Promise<readonly ResponseItem[]> {
  const parts: (readonly ResponseItem[])[] = []
  const seen = new Set<string>()
  for (let next: string | undefined = id; next !== undefined && !seen.has(next);) {
    seen.add(next)
    const found = await kept.find(next, caller)
    if (!found) throw previousNotFound(next)
    parts.push([...found.input, ...found.response.output])
    next = found.previous
  }
  return parts.toReversed().flat()
}

/** Throws an `HttpFailure` in OpenAI's words for an item that is not kept. */
async function withReferencedItems(
  kept: KeptResponses,
  items: readonly ResponseItem[],
  caller: Caller,
): Promise<readonly ResponseItem[]> {
  return Promise.all(
    items.map(async (item, at) => {
      if (item.type !== 'item_reference') return item
      const [, key] = /^[a-z]+_(.+)_\d+$/.exec(item.id ?? '') ?? []
      const found = key === undefined ? undefined : await kept.find(responseId(key), caller)
      const meant = found?.response.output.find(({ id }) => id === item.id)
      if (meant) return meant
      throw new HttpFailure(
        'not-found',
        `Item with id '${item.id}' not found. Items are not persisted when \`store\` is set to false. ` +
          'Try again with `store` set to true, or remove this item from your input.',
        { parameter: `input.${at}`, item: item.id },
      )
    }),
  )
}

function previousNotFound(id: string): HttpFailure {
  return new HttpFailure('invalid-input', `Previous response with id '${id}' not found.`, {
    parameter: 'previous_response_id',
    openaiCode: 'previous_response_not_found',
  })
}

export function responseNotFound(id: string): HttpFailure {
  return new HttpFailure('not-found', `Response with id '${id}' not found.`, { response: id })
}
