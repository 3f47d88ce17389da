import { type ServerResponse } from 'node:http'
import { z } from 'zod'
import { type CompletionEvent, type Runtime } from '../runtime.ts'
import { json, openaiError } from './answer.ts'
import { type Streams } from './event-stream.ts'
import { failureOf } from './failure.ts'
import { type AnswerNames, chunks, collect, collected, completion } from './openai-answer.ts'
import { type CompletionBody, completionBody, ignored } from './openai-schema.ts'
import { type Source, sourceOf } from './openai-source.ts'
import { type Route, route } from './route.ts'

/** OpenAI's format: its official clients work as they are. */
export function openaiRoutes(runtime: Runtime, streams: Streams): readonly Route[] {
  return [
    route({
      method: 'POST',
      path: '/v1/chat/completions',
      tag: 'openai',
      summary: "Answers in OpenAI's format, streamed or in one piece",
      description:
        'With `x-foreword-session` or `user` the last user message is said in that session; `/new` as the message begins a new ' +
        'one for `user`. Without, the messages of the ' +
        'body are the history: assembled and accounted for, but kept in no session. `x-foreword-call` names the manifest.',
      headers: {
        'x-foreword-session': 'Id of a session, or `new`. Goes before `user`.',
        'Idempotency-Key': 'In a session: a repeat with the same key begins no second turn.',
      },
      body: completionBody,
      answers: { 200: { description: 'A chat completion, or with `stream` its chunks', schema: z.looseObject({}) } },
      handle: async ({ body, request, outgoing }) => {
        const source = await sourceOf(runtime, body, request)
        const left = ignored(body, source.inSession)
        const headers: Record<string, string> =
          left.length === 0 ? {} : { 'x-foreword-ignored': left.map(encodeURIComponent).join(', ') }
        return body.stream === true
          ? streamed(source, body, headers, request, outgoing)
          : whole(source, body, headers, request)
      },
    }),
    route({
      method: 'GET',
      path: '/v1/models',
      tag: 'openai',
      summary: 'Lists models as OpenAI does; `foreword` is the configured one',
      answers: { 200: { description: 'Models', schema: z.looseObject({ data: z.array(z.looseObject({})) }) } },
      handle: async () => {
        const models = await runtime.models()
        const configured = { id: 'foreword', object: 'model', created: 0, owned_by: 'foreword' }
        const others = models
          .filter(({ ready }) => ready)
          .map(({ id, provider }) => ({ id, object: 'model', created: 0, owned_by: provider }))
        return json({ object: 'list', data: [configured, ...others] })
      },
    }),
  ]

  async function whole(
    source: Source,
    body: CompletionBody,
    headers: Readonly<Record<string, string>>,
    request: Request,
  ): Promise<Response> {
    const answer = collected()
    let names: AnswerNames | undefined
    for await (const event of source.events(request.signal)) {
      if (event.type === 'call-start') names ??= namesOf(source, event, body)
      collect(answer, event)
    }
    names ??= namesOf(source, undefined, body)
    return json(completion(names, answer), 200, { ...headers, ...namingHeaders(names) })
  }

  function streamed(
    source: Source,
    body: CompletionBody,
    headers: Readonly<Record<string, string>>,
    request: Request,
    outgoing: ServerResponse | undefined,
  ): Promise<Response> {
    return streams.open(request, outgoing, {
      headers,
      async run(sink) {
        const answer = collected()
        let names: AnswerNames | undefined
        let format: ReturnType<typeof chunks> | undefined
        for await (const event of source.events(sink.signal)) {
          collect(answer, event)
          if (names === undefined || format === undefined) {
            names = namesOf(source, event.type === 'call-start' ? event : undefined, body)
            format = chunks(names)
            for (const [name, value] of Object.entries(namingHeaders(names))) sink.header(name, value)
          }
          const text = format.piece(event)
          const full = text === '' ? undefined : sink.write(text)
          if (full !== undefined) await full
          if (sink.signal.aborted) return
        }
        format ??= chunks(namesOf(source, undefined, body))
        await sink.write(format.end(answer, body.stream_options?.include_usage === true))
      },
      lastWords: (error) => `data: ${JSON.stringify(openaiError(failureOf(error)))}\n\n`,
    })
  }
}

function namesOf(
  source: Source,
  start: Extract<CompletionEvent, { type: 'call-start' }> | undefined,
  body: CompletionBody,
): AnswerNames {
  return {
    call: start?.call ?? source.turn ?? 'none',
    model: start?.model || (body.model ?? 'foreword'),
    created: Math.floor(Date.now() / 1000),
    ...(source.session === undefined ? {} : { session: source.session }),
    ...(source.turn === undefined ? {} : { turn: source.turn }),
  }
}

function namingHeaders({ call, session, turn }: AnswerNames): Readonly<Record<string, string>> {
  return {
    'x-foreword-call': encodeURIComponent(call),
    ...(session === undefined ? {} : { 'x-foreword-session': encodeURIComponent(session) }),
    ...(turn === undefined ? {} : { 'x-foreword-turn': encodeURIComponent(turn) }),
  }
}
