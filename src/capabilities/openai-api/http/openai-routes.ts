import { defined } from '../../../platform.ts'
import { z } from 'zod'
import {
  type CompletionCut,
  type CompletionEvent,
  type Route,
  route,
  type RouteCall,
  type Runtime,
} from '../../../capability.ts'
import { failureOf, json } from '../../../server.ts'
import { openaiFailure } from './openai-failure.ts'
import { openaiModel, openaiModels } from './openai-models.ts'
import { type AnswerEvent } from './turn-completion.ts'
import { type AnswerNames, chunks, collect, collected, completion } from './openai-answer.ts'
import { type CompletionBody, completionBody, ignored } from './openai-schema.ts'
import { type Source, sourceOf } from './openai-source.ts'

/** OpenAI's format: its official clients work as they are. */
export function openaiRoutes(runtime: Runtime): readonly Route[] {
  return [
    route({
      method: 'POST',
      path: '/v1/chat/completions',
      tag: 'openai',
      summary: "Answers in OpenAI's format, streamed or in one piece",
      description:
        'With `x-foreword-session` or `user` the last user message is said in that session; `/new` as the message begins a new ' +
        'one for `user`. Without, the messages and tools of the body are sent as they are: accounted for, but kept in no ' +
        'session. `x-foreword-call` names the manifest.',
      holdsFiles: true,
      headers: {
        'x-foreword-session': 'Id of a session, or `new`. Goes before `user`.',
        'x-foreword-cut':
          'Without a session: `auto` leaves out what is oldest where the messages do not fit; `none` refuses them. `context.completions.cut` unless given.',
        'x-foreword-prompt':
          'Without a session: `add` puts the prompt, the date, instructions and skills of this gateway in front; `none` adds nothing. `context.completions.prompt` unless given.',
        'Idempotency-Key': 'In a session: a repeat with the same key begins no second turn.',
      },
      body: completionBody,
      answers: { 200: { description: 'A chat completion, or with `stream` its chunks', schema: z.looseObject({}) } },
      handle: async ({ body, request, stream }) => {
        const source = await sourceOf(runtime, body, request)
        const left = ignored(body, source.inSession)
        const headers: Record<string, string> =
          left.length === 0 ? {} : { 'x-foreword-ignored': left.map(encodeURIComponent).join(', ') }
        return body.stream === true ? streamed(source, body, headers, stream) : whole(source, body, headers, request)
      },
    }),
    route({
      method: 'GET',
      path: '/v1/models',
      tag: 'openai',
      summary: 'Lists models as OpenAI does; `foreword` is the configured one',
      answers: { 200: { description: 'Models', schema: z.looseObject({ data: z.array(z.looseObject({})) }) } },
      handle: async () => json({ object: 'list', data: await openaiModels(runtime) }),
    }),
    route({
      method: 'GET',
      // Ids hold slashes, encoded or not.
      path: '/v1/models/:model{.+}',
      tag: 'openai',
      summary: 'One model, with its window and its longest answer in tokens',
      answers: { 200: { description: 'A model', schema: z.looseObject({ id: z.string() }) } },
      handle: async ({ param }) => json(await openaiModel(runtime, param('model'))),
    }),
  ]

  async function whole(
    source: Source,
    body: CompletionBody,
    headers: Readonly<Record<string, string>>,
    request: Request,
  ): Promise<Response> {
    const answer = collected()
    const naming = namingOf(source, body)
    for await (const event of source.events(request.signal)) {
      naming.note(event)
      collect(answer, event)
    }
    const names = naming.names()
    return json(completion(names, answer), 200, { ...headers, ...namingHeaders(names) })
  }

  function streamed(
    source: Source,
    body: CompletionBody,
    headers: Readonly<Record<string, string>>,
    stream: RouteCall<unknown, unknown>['stream'],
  ): Promise<Response> {
    return stream({
      isAnswer: true,
      headers,
      async run(sink) {
        const answer = collected()
        const naming = namingOf(source, body)
        const includeUsage = body.stream_options?.include_usage === true
        let format: ReturnType<typeof chunks> | undefined
        const begun = () => {
          const names = naming.names()
          for (const [name, value] of Object.entries(namingHeaders(names))) sink.header(name, value)
          return chunks(names, { includeUsage })
        }
        for await (const event of source.events(sink.signal)) {
          naming.note(event)
          collect(answer, event)
          if (event.type === 'call-start') continue
          format ??= begun()
          const text = format.piece(event)
          const full = text === '' ? undefined : sink.write(text)
          if (full !== undefined) await full
          if (sink.signal.aborted) return
        }
        format ??= begun()
        await sink.write(format.end(answer))
      },
      lastWords: (error) => `data: ${JSON.stringify(openaiFailure(failureOf(error)).body)}\n\n`,
    })
  }
}

/**
 * Finds the names of an answer: those of the call that begins to answer. A call that its provider refused as too large
 * was no answer; a turn's later calls belong to the same one.
 */
function namingOf(source: Source, body: CompletionBody) {
  let start: CallStart | undefined
  let answers = false
  return {
    note(event: AnswerEvent): void {
      if (event.type !== 'call-start') answers = true
      else if (!answers) start = event
    },
    names: () => namesOf(source, start, body),
  }
}

type CallStart = Extract<CompletionEvent, { type: 'call-start' }>

function namesOf(source: Source, start: CallStart | undefined, body: CompletionBody): AnswerNames {
  return {
    call: start?.call ?? source.turn ?? 'none',
    model: start?.model || (body.model ?? 'foreword'),
    created: Math.floor(Date.now() / 1000),
    ...defined({ session: source.session, turn: source.turn }),
    ...(start?.cut === undefined ? {} : { cut: start.cut }),
  }
}

function namingHeaders({ call, session, turn, cut }: AnswerNames): Readonly<Record<string, string>> {
  return {
    'x-foreword-call': encodeURIComponent(call),
    ...(session === undefined ? {} : { 'x-foreword-session': encodeURIComponent(session) }),
    ...(turn === undefined ? {} : { 'x-foreword-turn': encodeURIComponent(turn) }),
    ...(cut === undefined ? {} : { 'x-foreword-cut': cutHeader(cut) }),
  }
}

function cutHeader({ messagesLeftOut, messages, resultsShortened, tokensLeftOut }: CompletionCut): string {
  return `messages=${messagesLeftOut}/${messages}, results=${resultsShortened}, tokens=${tokensLeftOut}`
}
