import { z } from 'zod'
import { fileEmbedder, type Route, route, type Runtime } from '../../../capability.ts'
import { defined, errorMessage } from '../../../platform.ts'
import { HttpFailure, ignoredHeader, json, requestedModel } from '../../../server.ts'

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
export function embeddingsRoute(runtime: Runtime): Route {
  return route({
    method: 'POST',
    path: '/v1/embeddings',
    scope: 'talk',
    tag: 'openai',
    summary: "Embeds texts in OpenAI's format",
    description:
      'A named model is asked with the request as it is, and the call is on record. What the configured model embeds is not.',
    holdsFiles: true,
    body: embeddingsBody,
    answers: {
      200: { description: 'A vector for each text', schema: z.looseObject({ data: z.array(z.looseObject({})) }) },
    },
    async handle({ body, caller, request }) {
      const model = requestedModel(body.model)
      if (model === undefined) return configuredEmbeddings(runtime, body)
      const program = request.headers.get('user-agent') ?? undefined
      return json(await runtime.embeddings(model, body, { caller, ...defined({ program }), signal: request.signal }))
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
  const texts = textsOf(body)
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

function textsOf({ input }: EmbeddingsBody): readonly string[] {
  const texts = typeof input === 'string' ? [input] : input
  if (texts.every((text) => typeof text === 'string')) return texts
  throw new HttpFailure('invalid-input', 'input: the configured embedding model reads texts. Send texts, not tokens.', {
    parameter: 'input',
  })
}

/** OpenAI's clients ask for the bytes of the numbers, four for each, the lowest first. */
function encoded(vector: Float32Array, { encoding_format: format }: EmbeddingsBody): readonly number[] | string {
  if (format !== 'base64') return [...vector]
  const bytes = Buffer.alloc(vector.length * 4)
  for (const [index, value] of vector.entries()) bytes.writeFloatLE(value, index * 4)
  return bytes.toString('base64')
}
