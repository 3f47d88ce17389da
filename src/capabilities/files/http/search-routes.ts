import { z } from 'zod'
import { HttpFailure, json, limitSchema } from '../../../server.ts'
import { type Route, route } from '../../../capability.ts'
import { choicesWithFiles, type FileOwners, findOwner } from './file-owners.ts'

const hit = z.looseObject({
  document: z.string().describe('Id of the file.'),
  title: z.string(),
  chunk: z.looseObject({
    text: z.string(),
    start: z.number(),
    end: z.number(),
    page: z.number().optional(),
    line: z.number(),
    headings: z.array(z.string()),
  }),
  score: z.number().describe('Higher is better. Scores are comparable only within one response.'),
  ranks: z
    .array(z.object({ by: z.enum(['words', 'meaning']), rank: z.number(), value: z.number() }))
    .describe('How it was found: its rank in each list that held it, and what that list measured.'),
})

const progress = z
  .object({
    documents: z.number(),
    indexed: z.number(),
    chunks: z.number(),
    embedded: z.number(),
    degraded: z.string().optional(),
  })
  .describe('How far the index has come.')

const answer = z.object({
  hits: z.array(hit),
  degraded: z.string().optional().describe('Why only words were searched although there is an embedding model.'),
  progress,
})

export function searchRoutes(self: FileOwners): readonly Route[] {
  const owners = Object.fromEntries(
    choicesWithFiles(self).map((type) => [
      type,
      z.string().min(1).optional().describe(`Only files of this ${type}. All files where absent.`),
    ]),
  )
  return [
    route({
      method: 'GET',
      path: '/api/search',
      scope: 'read',
      tag: 'search',
      summary: 'Searches files by words, and by meaning if an embedding model is configured',
      query: z.strictObject({
        q: z.string().regex(/\S/, 'expected words to look for').max(2000).describe('Words to look for, never syntax.'),
        ...owners,
        by: z
          .enum(['words', 'meaning', 'both'])
          .default('both')
          .describe('By their words, by what they mean to the embedding model, or both.'),
        limit: limitSchema(10, 100),
      }),
      answers: { 200: { description: 'Hits, best first', schema: answer } },
      handle: async ({ query: { q: text, limit: most, by, ...named } }) => {
        const owner = Object.keys(named).length === 0 ? undefined : await findOwner(self, named)
        const found = await self.service.search({ text, owner, limit: most, by })
        const { chunks, embedded } = found.progress
        if (by === 'meaning' && found.degraded === undefined && chunks > 0 && embedded === 0) throw noVectors()
        return json(found)
      },
    }),
  ]
}

function noVectors(): HttpFailure {
  const message =
    'No passage has a vector of an embedding model. Set `search.embedding` and let the gateway run until its files are ' +
    'embedded, or search without by=meaning.'
  return new HttpFailure('invalid-input', message, { parameter: 'by' })
}
