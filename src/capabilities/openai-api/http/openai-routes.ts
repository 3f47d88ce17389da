import { z } from 'zod'
import { costOfCalls, type Route, route, type RouteCall, type Runtime } from '../../../capability.ts'
import { defined } from '../../../platform.ts'
import {
  answerNaming,
  completionHeaderWords,
  type CompletionSource,
  CONFIGURED_MODEL,
  ignoredHeader,
  json,
  type KnownModel,
  knownModel,
  knownModels,
  namingHeaders,
  toFailure,
  writeCompletion,
} from '../../../server.ts'
import { completionChunks, collect, emptyAnswer, chatCompletion } from './openai-answer.ts'
import { openaiFailure } from './openai-failure.ts'
import { embeddingsRoute } from './openai-embeddings.ts'
import { type CompletionBody, completionBody, ignoredFields } from './openai-schema.ts'
import { openSource } from './openai-source.ts'

/** The endpoints in OpenAI's format. Its official clients work unchanged. */
export function openaiRoutes(runtime: Runtime): readonly Route[] {
  return [
    route({
      method: 'POST',
      path: '/v1/chat/completions',
      scope: 'talk',
      tag: 'openai',
      summary: "Answers in OpenAI's format, streamed or in one piece",
      description:
        'With `x-foreword-session` or `user`, the last user message continues that session; `/new` as the message begins a new ' +
        'one for `user`. Without, the messages and tools of the body are sent as they are: accounted for, but kept in no ' +
        'session. `x-foreword-call` names the manifest.',
      holdsFiles: true,
      headers: {
        'x-foreword-session': 'Id of a session, or `new`. Takes precedence over `user`.',
        ...completionHeaderWords,
      },
      body: completionBody,
      answers: { 200: { description: 'A chat completion, or with `stream` its chunks', schema: z.looseObject({}) } },
      handle: async ({ body, request, caller, stream }) => {
        const source = await openSource(runtime, body, { request, caller })
        const headers = ignoredHeader(ignoredFields(body, source.inSession))
        return body.stream === true ? streamed(source, body, headers, stream) : whole(source, body, headers, request)
      },
    }),
    embeddingsRoute(runtime),
    route({
      method: 'GET',
      path: '/v1/models',
      scope: 'talk',
      tag: 'openai',
      summary: 'Lists models in the format of OpenAI; `foreword` is the configured model',
      answers: { 200: { description: 'Models', schema: z.looseObject({ data: z.array(z.looseObject({})) }) } },
      handle: async () => json({ object: 'list', data: (await knownModels(runtime)).map(row) }),
    }),
    route({
      method: 'GET',
      // Ids contain slashes, encoded or not.
      path: '/v1/models/:model{.+}',
      scope: 'talk',
      tag: 'openai',
      summary: 'Returns a model with its window and its longest answer in tokens',
      answers: { 200: { description: 'A model', schema: z.looseObject({ id: z.string() }) } },
      handle: async ({ param }) => json(row(await knownModel(runtime, param('model')))),
    }),
  ]

  async function whole(
    source: CompletionSource,
    body: CompletionBody,
    headers: Readonly<Record<string, string>>,
    request: Request,
  ): Promise<Response> {
    const answer = emptyAnswer()
    const naming = answerNaming(source, body.model ?? CONFIGURED_MODEL)
    for await (const event of source.events(request.signal)) {
      naming.note(event)
      collect(answer, event)
    }
    const names = { ...naming.names(), created: Math.floor(Date.now() / 1000) }
    return json(chatCompletion(names, answer, await costOfCalls(runtime, answer.calls)), 200, {
      ...headers,
      ...namingHeaders(names),
    })
  }

  function streamed(
    source: CompletionSource,
    body: CompletionBody,
    headers: Readonly<Record<string, string>>,
    stream: RouteCall<unknown, unknown>['stream'],
  ): Promise<Response> {
    return stream({
      isAnswer: true,
      headers,
      async run(sink) {
        const answer = emptyAnswer()
        const includeUsage = body.stream_options?.include_usage === true
        await writeCompletion(
          sink,
          { source, model: body.model ?? CONFIGURED_MODEL },
          {
            note: (event) => collect(answer, event),
            headers: namingHeaders,
            open(names) {
              const created = Math.floor(Date.now() / 1000)
              const { piece, end } = completionChunks({ ...names, created }, { includeUsage })
              return { piece, end: async () => end(answer, await costOfCalls(runtime, answer.calls)) }
            },
          },
        )
      },
      lastWords: (error) => `data: ${JSON.stringify(openaiFailure(toFailure(error)).body)}\n\n`,
    })
  }
}

/** The window under each name that clients look for: those of OpenRouter, vLLM and Groq. */
function row({ id, provider: owner, known }: KnownModel): object {
  const base = { id, object: 'model', created: 0, owned_by: owner }
  if (!known) return base
  const { window, reserve, facts } = known
  const most = facts && Math.min(facts.maxOutput, window)
  return {
    ...base,
    context_length: window,
    context_window: window,
    max_model_len: window,
    ...defined({ max_completion_tokens: most }),
    top_provider: { context_length: window, ...defined({ max_completion_tokens: most }) },
    ...(facts ? { architecture: { input_modalities: facts.vision ? ['text', 'image'] : ['text'] } } : {}),
    ...(facts ? { foreword: { model: known.id, reserve, source: facts.source, tools: facts.tools } } : {}),
  }
}
