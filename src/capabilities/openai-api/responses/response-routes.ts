import { z } from 'zod'
import { type Caller, type Route, route, type Runtime, type RouteCall } from '../../../capability.ts'
import {
  completionHeaderWords,
  HttpFailure,
  json,
  type AnswerEvent,
  collectAnswer,
  type CompletionNames,
  CONFIGURED_MODEL,
  turnCompletion,
  ignoredHeader,
  namingHeaders,
} from '../../../server.ts'
import type { KeptResponses } from './kept-responses.ts'
import {
  type SerialCallModels,
  openResponseSource,
  type ResponseSource,
  keptConversation,
  responseNotFound,
  type ResponseTurn,
  responseTurn,
  turnKey,
} from './response-source.ts'
import {
  asResponses,
  responseError,
  streamedError,
  belongsInStream,
  responseBuilder,
  type ResponseBuilder,
  type ResponseEvent,
} from './response-builder.ts'
import {
  responseBody,
  type ResponseItem,
  type ResponseBody,
  emptyResponse,
  type ResponseNames,
  type ResponseObject,
} from './response-schema.ts'
import { messageText } from '../../../context.ts'
import { fieldsOf, defined } from '../../../platform.ts'
import { conversationRoutes } from './compaction.ts'
import { forewordField } from '../http/openai-answer.ts'

/** The endpoints of OpenAI's Responses API. Its official clients and Codex work unchanged. */
export function responseRoutes(runtime: Runtime, kept: KeptResponses): readonly Route[] {
  const unable: SerialCallModels = new Set()
  return [
    route({
      method: 'POST',
      path: '/v1/responses',
      scope: 'talk',
      tag: 'openai',
      summary: "Answers in the format of OpenAI's Responses API, streamed or in one piece",
      description:
        'With `x-foreword-session`, `user` or the `previous_response_id` of a session, the last message of `input` continues that ' +
        'session. Without, the items and tools of the body are sent as they are, after what was kept of `previous_response_id`. ' +
        '`x-foreword-call` names the manifest.',
      holdsFiles: true,
      headers: {
        'x-foreword-session': 'Id of a session, or `new`. Takes precedence over `user`.',
        ...completionHeaderWords,
        'x-foreword-cut': 'Without a session: `auto` or `none`. Takes precedence over `truncation`.',
      },
      body: responseBody,
      answers: { 200: { description: 'A response, or with `stream` its events', schema: z.looseObject({}) } },
      handle: async ({ body, request, caller, stream }) => {
        const source = await openResponseSource({ runtime, kept, unable }, body, { request, caller }).catch(asResponses)
        const parts = { runtime, kept, source, body, call: { request, caller, stream } }
        return body.stream === true ? streamedResponse(parts) : wholeResponse(parts)
      },
    }),
    ...conversationRoutes(runtime, kept),
    route({
      method: 'GET',
      path: '/v1/responses/:response',
      scope: 'talk',
      tag: 'openai',
      summary: 'Returns a response that is kept: the turn of a session, or one of the same token',
      query: z.looseObject({ stream: z.string().optional().describe('Only `false`: a kept response comes whole.') }),
      answers: { 200: { description: 'A response', schema: z.looseObject({ id: z.string() }) } },
      handle: async ({ param, query, request, caller }) => {
        const id = param('response')
        const turn = await responseTurn(runtime, id)
        if (query.stream === 'true') throw streamRefusal(turn)
        return json(turn ? await turnResponse(runtime, turn, request) : await keptResponse(id, caller))
      },
    }),
    route({
      method: 'DELETE',
      path: '/v1/responses/:response',
      scope: 'talk',
      tag: 'openai',
      summary: 'Removes a response outside sessions, with its words',
      answers: { 200: { description: 'The response is removed', schema: z.looseObject({ id: z.string() }) } },
      handle: async ({ param, caller }) => {
        const id = param('response')
        const turn = await responseTurn(runtime, id)
        if (turn) {
          const message = `${id} is a turn of the session ${turn.session}, whose history is kept as a whole.`
          const hint = `DELETE /api/sessions/${turn.session} removes the session.`
          throw new HttpFailure('invalid-input', message, { session: turn.session }, { hint })
        }
        if (!(await kept.remove(id, caller))) throw responseNotFound(id)
        return json({ id, object: 'response', deleted: true })
      },
    }),
    route({
      method: 'GET',
      path: '/v1/responses/:response/input_items',
      scope: 'talk',
      tag: 'openai',
      summary: 'Lists the items that a kept response answers, with those of the responses before it',
      query: z.object({
        after: z.string().optional().describe('Id of the item before the first one of the list.'),
        limit: z.coerce.number().int().min(1).max(100).default(20),
        order: z.enum(['asc', 'desc']).default('desc'),
      }),
      answers: { 200: { description: 'Items', schema: z.looseObject({ data: z.array(z.looseObject({})) }) } },
      handle: async ({ param, query, caller }) => json(itemPage(await inputOf(param('response'), caller), query)),
    }),
    route({
      method: 'POST',
      path: '/v1/responses/:response/cancel',
      scope: 'talk',
      tag: 'openai',
      summary: 'Cancels the turn of a session that answers a response',
      answers: { 200: { description: 'The response', schema: z.looseObject({ id: z.string() }) } },
      handle: async ({ param, request, caller }) => {
        const id = param('response')
        const turn = await responseTurn(runtime, id)
        if (!turn) {
          await keptResponse(id, caller)
          // The sentence is OpenAI's own.
          throw new HttpFailure('invalid-input', 'Cannot cancel a synchronous response.')
        }
        const waits = await runtime.cancel(turn.session, turn.turn)
        return json(await turnResponse(runtime, turn, { signal: request.signal, waits }))
      },
    }),
  ]

  async function keptResponse(id: string, caller: Caller) {
    const found = await kept.find(id, caller)
    if (!found) throw responseNotFound(id)
    return found.response
  }

  async function inputOf(id: string, caller: Caller): Promise<readonly ResponseItem[]> {
    const turn = await responseTurn(runtime, id)
    if (turn) return turnInput(runtime, turn)
    const found = await kept.find(id, caller)
    if (!found) throw responseNotFound(id)
    const earlier = found.previous ? await keptConversation(kept, found.previous, caller) : []
    const key = id.slice('resp_'.length)
    return [...earlier, ...found.input].map((item, at) => ({ ...item, id: item.id ?? `in_${key}_${at}` }))
  }
}

function streamRefusal(turn: ResponseTurn | undefined): HttpFailure {
  const instead = turn ? ` GET /api/sessions/${turn.session}/events?turn=${turn.turn} streams the turn.` : ''
  const message = `Unsupported parameter: \`stream\` is not supported here. A kept response comes whole.${instead}`
  return new HttpFailure('unsupported-parameter', message, { parameter: 'stream' })
}

interface PageQuery {
  readonly after?: string | undefined
  readonly limit: number
  readonly order: 'asc' | 'desc'
}

function itemPage(items: readonly ResponseItem[], { after, limit, order }: PageQuery): object {
  const ordered = order === 'asc' ? items : items.toReversed()
  const start = after === undefined ? 0 : ordered.findIndex(({ id }) => id === after) + 1
  const data = ordered.slice(start, start + limit)
  const ids = { first_id: data.at(0)?.id ?? null, last_id: data.at(-1)?.id ?? null }
  return { object: 'list', data, ...ids, has_more: start + limit < ordered.length }
}

/** A turn of a session as a response, read from its log. `waits`: the turn is ending, and its end is waited for. */
async function turnResponse(
  runtime: Runtime,
  { session, turn }: ResponseTurn,
  { signal, waits = false }: { readonly signal: AbortSignal; readonly waits?: boolean },
): Promise<ResponseObject> {
  const row = await runtime.store.turn(session, turn)
  const created = seconds(row?.inputTime)
  const named = (names: CompletionNames): ResponseNames => ({
    ...names,
    key: turnKey({ session, turn }),
    created,
  })
  if (!waits && (row?.state === 'queued' || row?.state === 'running')) {
    const status = row.state === 'queued' ? 'queued' : 'in_progress'
    return { ...emptyResponse(named({ call: turn, model: CONFIGURED_MODEL, session, turn }), {}), store: true, status }
  }
  const answer = collectAnswer({ session, turn }, CONFIGURED_MODEL)
  const events: AnswerEvent[] = []
  let failure: unknown
  try {
    for await (const event of turnCompletion(runtime, session, turn, signal)) {
      answer.note(event)
      events.push(event)
    }
  } catch (error) {
    failure = error
  }
  const names = named(answer.names())
  const builder = responseBuilder(names, {}, [])
  for (const event of events) builder.add(event)
  if (failure !== undefined) return failedResponse(builder.fail(streamedError(failure)), failure)
  builder.close()
  const [last] = await runtime.store.entries(session, { turn, last: 1 })
  return builder.end({
    at: seconds(last?.time),
    store: true,
    foreword: await forewordField(runtime, names, answer.said),
  }).response
}

/** Unix time, seconds. */
function seconds(time: string | undefined): number {
  return Math.floor(Date.parse(time ?? '') / 1000)
}

async function turnInput({ store }: Pick<Runtime, 'store'>, at: ResponseTurn): Promise<readonly ResponseItem[]> {
  const entries = await store.entries(at.session, { turn: at.turn })
  const key = turnKey(at)
  return entries.flatMap((entry): readonly ResponseItem[] => {
    if (entry.type !== 'input') return []
    const text = messageText(entry.message)
    const content = [{ type: 'input_text', text }]
    return [{ id: `in_${key}`, type: 'message', role: 'user', status: 'completed', content }]
  })
}

function failedResponse(event: ResponseEvent, failure: unknown): ResponseObject {
  const response = event['response'] as ResponseObject
  const isCancelled = fieldsOf(failure)['code'] === 'cancelled'
  return { ...response, store: true, ...(isCancelled ? { status: 'cancelled', error: null } : {}) }
}

interface AnswerParts {
  readonly runtime: Runtime
  readonly kept: KeptResponses
  readonly source: ResponseSource
  readonly body: ResponseBody
  readonly call: Pick<RouteCall<unknown, unknown>, 'request' | 'caller' | 'stream'>
}

/** Rejects with an `HttpFailure` where the answer fails. */
async function wholeResponse(parts: AnswerParts): Promise<Response> {
  const answer = answering(parts)
  try {
    for await (const event of parts.source.events(parts.call.request.signal)) answer.add(event)
    answer.close()
    const { response } = await answer.end()
    return json(response, 200, answer.headers())
  } catch (error) {
    throw responseError(error)
  }
}

/**
 * The response as events. A failure before the first word has a status of its own, except those that the clients look
 * for in the stream: an input that is too large, and a call that a budget does not allow.
 */
async function streamedResponse(parts: AnswerParts): Promise<Response> {
  const answer = answering(parts)
  const number = numbering()
  let begun = false
  const lastWords = (error: unknown) => {
    const failed = answer.fail(error)
    return number(begun ? failed : [...answer.begin(), ...failed])
  }
  try {
    return await parts.call.stream({
      isAnswer: true,
      async run(sink) {
        const write = (events: readonly ResponseEvent[]) => {
          if (events.length === 0) return undefined
          if (!begun) for (const [name, value] of Object.entries(answer.headers())) sink.header(name, value)
          const all = begun ? events : [...answer.begin(), ...events]
          begun = true
          return sink.write(number(all))
        }
        try {
          for await (const event of parts.source.events(sink.signal)) {
            const full = write(answer.add(event))
            if (full !== undefined) await full
            if (sink.signal.aborted) return
          }
          await write(answer.close())
          await write([await answer.end()])
        } catch (error) {
          if (begun || !belongsInStream(error)) throw error
          await write(answer.fail(error))
        }
      },
      lastWords,
    })
  } catch (error) {
    throw responseError(error)
  }
}

function answering({ runtime, kept, source, body, call }: AnswerParts) {
  const collected = collectAnswer(source, body.model ?? CONFIGURED_MODEL)
  let named: ResponseNames | undefined
  let builder: ResponseBuilder | undefined
  const names = () => (named ??= withKey(collected.names()))
  const built = () => (builder ??= responseBuilder(names(), body, source.tools))

  return {
    headers: () => ({ ...ignoredHeader(source.ignored), ...namingHeaders(names()) }),
    add(event: AnswerEvent): readonly ResponseEvent[] {
      collected.note(event)
      return event.type === 'call-start' ? [] : built().add(event)
    },
    begin: () => built().begin(),
    close: () => built().close(),
    /** What fails before its first call is named after the call that its account was written for. */
    fail(error: unknown): readonly ResponseEvent[] {
      const id = fieldsOf(fieldsOf(error)['facts'])['call']
      if (!named && typeof id === 'string') collected.note({ type: 'call-start', call: id, model: '' })
      return [built().fail(streamedError(error))]
    },
    /** What is kept is on disk when this resolves. */
    async end(): Promise<ResponseEvent & { readonly response: ResponseObject }> {
      const foreword = await forewordField(runtime, names(), collected.said)
      const at = now()
      const whole = (store: boolean) => built().end({ at, store, foreword })
      // A session keeps its turns by itself.
      if (source.inSession) return whole(true)
      return whole(body.store !== false && (await keep(whole(true).response)))
    },
  }

  function now(): number {
    return Math.floor(runtime.store.clock.now() / 1000)
  }

  function withKey(found: CompletionNames): ResponseNames {
    const { session, turn, call: id } = found
    const key = session !== undefined && turn !== undefined ? turnKey({ session, turn }) : id
    return { ...found, key, created: now() }
  }

  function keep(response: ResponseObject): Promise<boolean> {
    const previous = body.previous_response_id
    const { input } = source
    const { by, tokenId: token } = call.caller
    return kept.keep({ by, ...defined({ token }), response, input, ...(previous ? { previous } : {}) })
  }
}

function numbering(): (events: readonly ResponseEvent[]) => string {
  let sequence = 0
  return (events) =>
    events
      .map((event) => `event: ${event.type}\ndata: ${JSON.stringify({ ...event, sequence_number: sequence++ })}\n\n`)
      .join('')
}
