import { z } from 'zod'
import { type Route, route, type Runtime } from '../../capability.ts'
import { json } from '../answer.ts'
import { noSuchSession } from '../failure.ts'
import { limit } from '../schema.ts'

const neighbour = z.object({ ordinal: z.number(), role: z.string(), text: z.string() }).optional()

const passage = z.looseObject({
  session: z.string(),
  turn: z.string(),
  ordinal: z.number().describe('Number of the turn in its session, from 1.'),
  seq: z.number().describe('The log entry that holds it.'),
  time: z.string(),
  kind: z.enum(['message', 'call']),
  role: z.enum(['user', 'assistant', 'tool']),
  text: z.string(),
  undone: z.boolean().optional().describe('`true` where the turn was taken back.'),
  start: z.number(),
  end: z.number(),
  length: z.number().describe('Characters of the whole text, of which the passage is `start` to `end`.'),
  call: z
    .object({ id: z.string(), name: z.string(), input: z.string(), outcome: z.string(), ok: z.boolean().optional() })
    .optional(),
  matched: z.array(z.string()).describe('Words of the question that it or its neighbours hold.'),
  score: z.number().describe('Higher is better; comparable within one answer alone.'),
  before: neighbour,
  after: neighbour,
})

/** Passages of sessions, for a person: anyone with the token may search them all. */
export function historySearchRoutes(runtime: Runtime): readonly Route[] {
  return [
    route({
      method: 'GET',
      path: '/api/search/history',
      tag: 'search',
      summary: 'Searches what was said and done in sessions, as the tool `read_history` does in one conversation',
      query: z.strictObject({
        q: z
          .string()
          .regex(/\S/, 'expected words to look for')
          .max(2000)
          .describe('Words to look for; between double quotes exactly as they are.'),
        session: z.string().min(1).optional().describe('Only this session. All of them where absent.'),
        kind: z.enum(['message', 'call']).optional().describe('Only what was said, or only calls of tools.'),
        limit: limit(10, 100),
      }),
      answers: {
        200: {
          description: 'Passages, best first. `found` says whether they hold words of the question or only near ones',
          schema: z.object({
            passages: z.array(passage),
            found: z.enum(['words', 'nearest', 'nothing']),
            missing: z.array(z.string()).describe('Words that were found nowhere.'),
            nearest: z.array(z.string()).describe('What was looked for instead.'),
            complete: z.boolean().describe('`false` while older logs are still being indexed.'),
          }),
        },
      },
      handle: async ({ query: { q: text, session, kind, limit: most } }) => {
        if (session !== undefined && !(await runtime.store.session(session))) throw noSuchSession(session)
        return json(
          await runtime.recall.find({
            text,
            limit: most,
            ...(session === undefined ? {} : { sessions: [session] }),
            ...(kind === undefined ? {} : { kinds: [kind] }),
          }),
        )
      },
    }),
  ]
}
