import { z } from 'zod'
import { type Route, jsonAnswer, route, type Runtime, fileEmbedder } from '../../../capability.ts'
import { defined, errorMessage } from '../../../platform.ts'
import {
  answerCompletion,
  type CompletionFormat,
  completionHeaderWords,
  type CompletionNames,
  ignoredHeader,
  json,
  type KnownModel,
  knownModel,
  knownModels,
  namingHeaders,
  toFailure,
  HttpFailure,
  requestedModel,
} from '../../../server.ts'
import { chatCompletion, completionChunks, forewordField } from './openai-answer.ts'
import { openaiFailure } from './openai-failure.ts'
import { type CompletionBody, completionBody, openSource } from './openai-source.ts'

/** The endpoints in OpenAI's format. Its official clients work unchanged. */
export function openaiRoutes(runtime: Runtime): readonly Route[] {
  return [
    route('POST /v1/chat/completions', {
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
      answers: jsonAnswer('A chat completion, or with `stream` its chunks', z.looseObject({})),
      handle: async ({ body, ...call }) => {
        const source = await openSource(runtime, body, call)
        return answerCompletion(
          { source, ...defined({ model: body.model }), streams: body.stream },
          call,
          formatOf(body),
        )
      },
    }),
    embeddingsRoute(runtime),
    route('GET /v1/models', {
      scope: 'talk',
      tag: 'openai',
      summary: 'Lists models in the format of OpenAI; `foreword` is the configured model',
      answers: jsonAnswer('Models', z.looseObject({ data: z.array(z.looseObject({})) })),
      handle: async () => ({ object: 'list', data: (await knownModels(runtime)).map(row) }),
    }),
    route('GET /v1/models/:model{.+}', {
      // Ids contain slashes, encoded or not.
      scope: 'talk',
      tag: 'openai',
      summary: 'Returns a model with its window and its longest answer in tokens',
      answers: jsonAnswer('A model', z.looseObject({ id: z.string() })),
      handle: async ({ param }) => row(await knownModel(runtime, param('model'))),
    }),
  ]

  function formatOf({ stream_options: options }: CompletionBody): CompletionFormat {
    const dated = (names: CompletionNames) => ({ ...names, created: Math.floor(runtime.store.clock.now() / 1000) })
    return {
      headers: namingHeaders,
      open(names) {
        const { piece, end } = completionChunks(dated(names), { includeUsage: options?.include_usage === true })
        return { piece, end: async (said) => end(said, await forewordField(runtime, names, said)) }
      },
      whole: async (names, said) => chatCompletion(dated(names), said, await forewordField(runtime, names, said)),
      lastWords: (error) => `data: ${JSON.stringify(openaiFailure(toFailure(error)).body)}\n\n`,
    }
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
    ...(facts
      ? {
          architecture: {
            input_modalities: ['text', ...(facts.vision ? ['image'] : []), ...(facts.audio ? ['audio'] : [])],
          },
        }
      : {}),
    ...(facts ? { foreword: { model: known.id, reserve, source: facts.source, tools: facts.tools } } : {}),
  }
}

const embeddingsBody = z.looseObject({
  model: z
    .string()
    .optional()
    .describe(
      '`foreword`, `default` or none: the model of `search.embedding`. Else `provider/model`, which is asked as it is.',
    ),
  input: z.union([
    z.string(),
    z.array(z.string()).min(1),
    z.array(z.number()).min(1),
    z.array(z.array(z.number())).min(1),
  ]),
  encoding_format: z.enum(['float', 'base64']).nullish(),
  dimensions: z.number().int().positive().nullish(),
  input_type: z
    .enum(['document', 'query'])
    .nullish()
    .describe('Of the configured model: what the texts are. `document` unless given.'),
})
type EmbeddingsBody = z.output<typeof embeddingsBody>

/** Embeddings in OpenAI's format: of the configured model, or passed on to the provider of the named one. */
function embeddingsRoute(runtime: Runtime): Route {
  return route('POST /v1/embeddings', {
    scope: 'talk',
    tag: 'openai',
    summary: "Embeds texts in OpenAI's format",
    description:
      'A named model is asked with the request as it is, and the call is on record. What the configured model embeds is not.',
    holdsFiles: true,
    body: embeddingsBody,
    answers: jsonAnswer('A vector for each text', z.looseObject({ data: z.array(z.looseObject({})) })),
    async handle({ body, caller, request }) {
      const model = requestedModel(body.model)
      if (model === undefined) return configuredEmbeddings(runtime, body)
      const program = request.headers.get('user-agent') ?? undefined
      return await runtime.embeddings(model, body, { caller, ...defined({ program }), signal: request.signal })
    },
  })
}

async function configuredEmbeddings(runtime: Runtime, body: EmbeddingsBody): Promise<Response> {
  const { embedder } = runtime.capability(fileEmbedder) ?? {}
  if (!embedder) {
    throw new HttpFailure(
      'invalid-input',
      'There is no embedding model. Set search.embedding in config.json, or name one as provider/model.',
      { parameter: 'model' },
    )
  }
  const texts = typeof body.input === 'string' ? [body.input] : body.input
  if (!texts.every((text) => typeof text === 'string')) {
    const why = 'input: the configured embedding model reads texts. Send texts, not tokens.'
    throw new HttpFailure('invalid-input', why, { parameter: 'input' })
  }
  const kind = body.input_type ?? 'document'
  const vectors: Float32Array[] = []
  try {
    for (let at = 0; at < texts.length; at += embedder.batch) {
      vectors.push(...(await embedder.embed(texts.slice(at, at + embedder.batch), { kind })))
    }
  } catch (error) {
    throw new HttpFailure('server', `${errorMessage(error)}.`)
  }
  const length = vectors[0]?.length
  if (body.dimensions && body.dimensions !== length) {
    throw new HttpFailure(
      'unsupported-parameter',
      `Unsupported parameter: \`dimensions\` must be ${length} or left out: search.embedding.dimensions decides the length.`,
      { parameter: 'dimensions' },
    )
  }
  const data = vectors.map((vector, index) => ({ object: 'embedding', index, embedding: encoded(vector, body) }))
  const ignored = Object.keys(body).filter((key) => !Object.hasOwn(embeddingsBody.shape, key))
  return json({ object: 'list', data, model: embedder.id }, 200, ignoredHeader(ignored))
}

/** OpenAI's clients ask for the bytes of the numbers, four for each, the lowest first. */
function encoded(vector: Float32Array, { encoding_format: format }: EmbeddingsBody): readonly number[] | string {
  if (format !== 'base64') return [...vector]
  const bytes = Buffer.alloc(vector.length * 4)
  for (const [index, value] of vector.entries()) bytes.writeFloatLE(value, index * 4)
  return bytes.toString('base64')
}
