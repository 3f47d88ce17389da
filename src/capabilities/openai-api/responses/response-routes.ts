import { z } from 'zod'
import { type Caller, type Route, jsonAnswer, route, type Runtime } from '../../../capability.ts'
import {
  answerCompletion,
  type AnswerEvent,
  type CollectedAnswer,
  collectAnswer,
  type CompletionFormat,
  completionHeaderWords,
  type CompletionNames,
  CONFIGURED_MODEL,
  HttpFailure,
  namingHeaders,
  turnCompletion,
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
    route('POST /v1/responses', {
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
      answers: jsonAnswer('A response, or with `stream` its events', z.looseObject({})),
      handle: async ({ body, ...call }) => {
        const source = await openResponseSource({ runtime, kept, unable }, body, call).catch(asResponses)
        const format = responseFormat({ runtime, kept, source, body, caller: call.caller })
        const about = { source, ...defined({ model: body.model }), streams: body.stream }
        return answerCompletion(about, call, format).catch(asResponses)
      },
    }),
    ...conversationRoutes(runtime, kept),
    route('GET /v1/responses/:response', {
      scope: 'talk',
      tag: 'openai',
      summary: 'Returns a response that is kept: the turn of a session, or one of the same token',
      query: z.looseObject({ stream: z.string().optional().describe('Only `false`: a kept response comes whole.') }),
      answers: jsonAnswer('A response', z.looseObject({ id: z.string() })),
      handle: async ({ param, query, request, caller }) => {
        const id = param('response')
        const turn = await responseTurn(runtime, id)
        if (query.stream === 'true') {
          const instead = turn ? ` GET /api/sessions/${turn.session}/events?turn=${turn.turn} streams the turn.` : ''
          const message = `Unsupported parameter: \`stream\` is not supported here. A kept response comes whole.${instead}`
          throw new HttpFailure('unsupported-parameter', message, { parameter: 'stream' })
        }
        return turn ? await turnResponse(runtime, turn, request) : (await keptResponse(id, caller)).response
      },
    }),
    route('DELETE /v1/responses/:response', {
      scope: 'talk',
      tag: 'openai',
      summary: 'Removes a response outside sessions, with its words',
      answers: jsonAnswer('The response is removed', z.looseObject({ id: z.string() })),
      handle: async ({ param, caller }) => {
        const id = param('response')
        const turn = await responseTurn(runtime, id)
        if (turn) {
          const message = `${id} is a turn of the session ${turn.session}, whose history is kept as a whole.`
          const hint = `DELETE /api/sessions/${turn.session} removes the session.`
          throw new HttpFailure('invalid-input', message, { session: turn.session }, { hint })
        }
        if (!(await kept.remove(id, caller))) throw responseNotFound(id)
        return { id, object: 'response', deleted: true }
      },
    }),
    route('GET /v1/responses/:response/input_items', {
      scope: 'talk',
      tag: 'openai',
      summary: 'Lists the items that a kept response answers, with those of the responses before it',
      query: z.object({
        after: z.string().optional().describe('Id of the item before the first one of the list.'),
        limit: z.coerce.number().int().min(1).max(100).default(20),
        order: z.enum(['asc', 'desc']).default('desc'),
      }),
      answers: jsonAnswer('Items', z.looseObject({ data: z.array(z.looseObject({})) })),
      handle: async ({ param, query: { after, limit, order }, caller }) => {
        const items = await inputOf(param('response'), caller)
        const ordered = order === 'asc' ? items : items.toReversed()
        const start = after === undefined ? 0 : ordered.findIndex(({ id }) => id === after) + 1
        const data = ordered.slice(start, start + limit)
        const ids = { first_id: data.at(0)?.id ?? null, last_id: data.at(-1)?.id ?? null }
        return { object: 'list', data, ...ids, has_more: start + limit < ordered.length }
      },
    }),
    route('POST /v1/responses/:response/cancel', {
      scope: 'talk',
      tag: 'openai',
      summary: 'Cancels the turn of a session that answers a response',
      answers: jsonAnswer('The response', z.looseObject({ id: z.string() })),
      handle: async ({ param, request, caller }) => {
        const id = param('response')
        const turn = await responseTurn(runtime, id)
        if (!turn) {
          await keptResponse(id, caller)
          // The sentence is OpenAI's own.
          throw new HttpFailure('invalid-input', 'Cannot cancel a synchronous response.')
        }
        const waits = await runtime.cancel(turn.session, turn.turn)
        return await turnResponse(runtime, turn, { signal: request.signal, waits })
      },
    }),
  ]

  async function keptResponse(id: string, caller: Caller) {
    const found = await kept.find(id, caller)
    if (!found) throw responseNotFound(id)
    return found
  }

  async function inputOf(id: string, caller: Caller): Promise<readonly ResponseItem[]> {
    const turn = await responseTurn(runtime, id)
    if (turn) return turnInput(runtime, turn)
    const found = await keptResponse(id, caller)
    const earlier = found.previous ? await keptConversation(kept, found.previous, caller) : []
    const key = id.slice('resp_'.length)
    return [...earlier, ...found.input].map((item, at) => ({ ...item, id: item.id ?? `in_${key}_${at}` }))
  }
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
  if (failure !== undefined) {
    const { response } = builder.fail(streamedError(failure))
    const isCancelled = fieldsOf(failure)['code'] === 'cancelled'
    return { ...response, store: true, ...(isCancelled && { status: 'cancelled', error: null }) }
  }
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

interface AnswerParts {
  readonly runtime: Runtime
  readonly kept: KeptResponses
  readonly source: ResponseSource
  readonly body: ResponseBody
  readonly caller: Caller
}

/** One response. Failures that clients look for in the stream: an input that is too large, and a call that a budget does not allow. */
function responseFormat({ runtime, kept, source, body, caller }: AnswerParts): CompletionFormat {
  const number = numbering()
  const now = () => Math.floor(runtime.store.clock.now() / 1000)
  let builder: ResponseBuilder | undefined
  const open = (names: CompletionNames) => {
    const { session, turn, call: id } = names
    const key = session !== undefined && turn !== undefined ? turnKey({ session, turn }) : id
    return (builder = responseBuilder({ ...names, key, created: now() }, body, source.tools))
  }
  /** What is kept is on disk when this resolves. A session keeps its turns by itself. */
  const end = async (built: ResponseBuilder, names: CompletionNames, said: CollectedAnswer) => {
    const foreword = await forewordField(runtime, names, said)
    const at = now()
    const whole = (store: boolean) => built.end({ at, store, foreword })
    if (source.inSession) return whole(true)
    const { by, tokenId: token } = caller
    const previous = body.previous_response_id || undefined
    const { response } = whole(true)
    const isKept =
      body.store !== false && kept.keep({ by, response, input: source.input, ...defined({ token, previous }) })
    return whole(await isKept)
  }
  return {
    headers: namingHeaders,
    open(names) {
      const built = open(names)
      return {
        start: number(built.begin()),
        piece: (event) => number(built.add(event)),
        end: async (said) => number([...built.close(), await end(built, names, said)]),
      }
    },
    async whole(names, said, events) {
      const built = open(names)
      for (const event of events) built.add(event)
      built.close()
      return (await end(built, names, said)).response
    },
    lastWords(error, names) {
      const begun = builder
      const built = begun ?? open(names())
      return number([...(begun ? [] : built.begin()), built.fail(streamedError(error))])
    },
    streamsFailure: belongsInStream,
  }
}

function numbering(): (events: readonly ResponseEvent[]) => string {
  let sequence = 0
  return (events) =>
    events
      .map((event) => `event: ${event.type}\ndata: ${JSON.stringify({ ...event, sequence_number: sequence++ })}\n\n`)
      .join('')
}
