import { z } from 'zod'
import { type Route, jsonAnswer, route, type Runtime } from '../../../capability.ts'
import {
  answerCompletion,
  type CompletionFormat,
  completionHeaderWords,
  knownModel,
  knownModels,
  namingHeaders,
  toFailure,
  type KnownModel,
} from '../../../server.ts'
import { anthropicMessage, emptyMessage, messageEnd, type MessageEvent, messageEvents } from './anthropic-answer.ts'
import { anthropicFailure } from './anthropic-failure.ts'
import { messagesBody, countedInput, messageSource } from './anthropic-source.ts'
import { defined } from '../../../platform.ts'

/** The endpoints in Anthropic's format. Its official clients work unchanged. */
export function anthropicRoutes(runtime: Runtime): readonly Route[] {
  const format: CompletionFormat = {
    // The call is the request that a client tells its support about.
    headers: (names) => ({ ...namingHeaders(names), 'request-id': encodeURIComponent(names.call) }),
    open(names) {
      const { add, end } = messageEvents()
      return {
        start: written([{ type: 'message_start', message: emptyMessage(names) }, { type: 'ping' }]),
        piece: (event) => written(add(event)),
        async end(said) {
          const { stop_reason, ...facts } = await messageEnd(runtime, names, said)
          const delta = { stop_reason, stop_sequence: null }
          return written([...end(), { type: 'message_delta', delta, ...facts }, { type: 'message_stop' }])
        },
      }
    },
    async whole(names, said, events) {
      const { add } = messageEvents()
      return anthropicMessage(names, events.flatMap(add), await messageEnd(runtime, names, said))
    },
    lastWords: (error) => written([anthropicFailure(toFailure(error)).body as MessageEvent]),
  }
  return [
    route('POST /v1/messages', {
      scope: 'talk',
      tag: 'anthropic',
      summary: "Answers in Anthropic's format, streamed or in one piece",
      description:
        'With `x-foreword-session`, the last user message continues that session. Without, the messages and tools of the body are ' +
        'sent as they are: accounted for, but kept in no session. `x-foreword-call` and `request-id` name the manifest.',
      holdsFiles: true,
      headers: {
        'x-foreword-session': 'Id of a session, or `new`.',
        'x-api-key': 'The token of the gateway, for clients that send no `Authorization`.',
        ...completionHeaderWords,
      },
      body: messagesBody,
      answers: jsonAnswer('A message, or with `stream` its events', z.looseObject({})),
      handle: async ({ body, ...call }) => {
        const source = await messageSource(runtime, body, call)
        return answerCompletion({ source, ...defined({ model: body.model }), streams: body.stream }, call, format)
      },
    }),
    route('POST /v1/messages/count_tokens', {
      scope: 'talk',
      tag: 'anthropic',
      summary: 'Counts the prompt tokens of a request outside sessions, and sends nothing',
      description: 'Estimated by the counter of the gateway, corrected by what the provider reported of earlier calls.',
      holdsFiles: true,
      headers: {
        'x-foreword-cut': completionHeaderWords['x-foreword-cut'],
        'x-foreword-prompt': completionHeaderWords['x-foreword-prompt'],
      },
      body: messagesBody,
      answers: jsonAnswer('The count', { input_tokens: z.number() }),
      handle: async ({ body, request, caller }) => {
        const { tokens } = await runtime.completionSize(await countedInput(runtime, body, { request, caller }))
        return { input_tokens: tokens }
      },
    }),
    route('GET /v1/models', {
      header: VERSION,
      scope: 'talk',
      tag: 'anthropic',
      summary: 'Lists models in the format of Anthropic',
      query: modelPage,
      answers: jsonAnswer('Models', z.looseObject({ data: z.array(z.looseObject({})) })),
      handle: async ({ query }) => messagesModelList(await knownModels(runtime), query),
    }),
    route('GET /v1/models/:model{.+}', {
      // Ids contain slashes, encoded or not.
      header: VERSION,
      scope: 'talk',
      tag: 'anthropic',
      summary: 'Returns a model with its window and its longest answer in the format of Anthropic',
      answers: jsonAnswer('A model', z.looseObject({ id: z.string() })),
      handle: async ({ param }) => messagesModel(await knownModel(runtime, param('model'))),
    }),
  ]
}

function written(events: readonly MessageEvent[]): string {
  return events.map((event) => `event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`).join('')
}

/** Clients of Anthropic's format send this header with every request. */
const VERSION = 'anthropic-version'

const modelPage = z.object({
  limit: z.coerce.number().int().min(1).max(1000).optional(),
  after_id: z.string().optional(),
  before_id: z.string().optional(),
})

function messagesModelList(
  models: readonly KnownModel[],
  { limit, after_id: after, before_id: before }: z.output<typeof modelPage>,
) {
  const place = (id: string | undefined) => models.findIndex((model) => model.id === id)
  const rest = before === undefined ? models.slice(place(after) + 1) : models.slice(0, Math.max(0, place(before)))
  const most = limit ?? rest.length
  const shown = before === undefined ? rest.slice(0, most) : rest.slice(Math.max(0, rest.length - most))
  return {
    data: shown.map(messagesModel),
    has_more: shown.length < rest.length,
    first_id: shown[0]?.id ?? null,
    last_id: shown.at(-1)?.id ?? null,
  }
}

function messagesModel({ id, known }: KnownModel) {
  const { window, facts } = known ?? {}
  const supported = (is: boolean) => ({ supported: is })
  return {
    type: 'model',
    id,
    display_name: known?.id ?? id,
    // When a model was released is not known.
    created_at: '1970-01-01T00:00:00Z',
    lifecycle: 'active',
    deprecated_at: null,
    ...defined({ max_input_tokens: window }),
    ...(facts && window !== undefined ? { max_tokens: Math.min(facts.maxOutput, window) } : {}),
    ...(facts
      ? {
          capabilities: {
            image_input: supported(facts.vision),
            thinking: supported(facts.reasoning),
            tools: supported(facts.tools),
          },
          foreword: { source: facts.source, reserve: known?.reserve },
        }
      : {}),
  }
}
