import { z } from 'zod'
import { type Runtime } from '../runtime.ts'
import { json } from './answer.ts'
import { type Route, route } from './route.ts'
import { limit } from './schema.ts'

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
  score: z.number().describe('Higher is better; comparable within one answer alone.'),
  ranks: z
    .array(z.object({ by: z.enum(['words', 'meaning']), rank: z.number(), value: z.number() }))
    .describe('How it was found: its rank in each list that held it, and what that list measured.'),
})

const progress = z
  .object({ documents: z.number(), indexed: z.number(), chunks: z.number(), embedded: z.number() })
  .describe('How far the index has come.')

/** Passages of files, for a person. */
export function searchRoutes(runtime: Runtime): readonly Route[] {
  return [
    route({
      method: 'GET',
      path: '/api/search',
      tag: 'search',
      summary: 'Searches files by their words, and by meaning where an embedding model is configured',
      query: z.strictObject({
        q: z.string().regex(/\S/, 'expected words to look for').max(2000).describe('Words to look for, never syntax.'),
        project: z.string().min(1).optional().describe('Only files of this project. All files where absent.'),
        limit: limit(10, 100),
      }),
      answers: { 200: { description: 'Hits, best first', schema: z.object({ hits: z.array(hit), progress }) } },
      handle: async ({ query: { q: text, project, limit: most } }) => {
        if (project === undefined) return json(await runtime.search({ text, limit: most }))
        await runtime.projects.get(project)
        return json(await runtime.search({ text, project, limit: most }))
      },
    }),
  ]
}
