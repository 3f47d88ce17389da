import { z } from 'zod'
import { type Route, jsonAnswer, route, type Runtime } from '../../capability.ts'
import { requireSession } from '../failure.ts'
import { limitSchema } from '../schema.ts'

const neighbour = z.object({ ordinal: z.number(), role: z.string(), text: z.string() }).optional()

const passage = z.looseObject({
  session: z.string(),
  turn: z.string(),
  ordinal: z.number().describe('Number of the turn in its session, from 1.'),
  seq: z.number().describe('The log entry that contains it.'),
  time: z.string(),
  kind: z.enum(['message', 'call']),
  role: z.enum(['user', 'assistant', 'tool']),
  text: z.string(),
  undone: z.boolean().optional().describe('`true` where the turn was undone.'),
  start: z.number(),
  end: z.number(),
  length: z.number().describe('Characters of the whole text, of which the passage is `start` to `end`.'),
  call: z
    .object({ id: z.string(), name: z.string(), input: z.string(), outcome: z.string(), ok: z.boolean().optional() })
    .optional(),
  matched: z.array(z.string()).describe('Words of the query that the passage or its neighbours contain.'),
  hits: z.array(z.string()).describe('Words of the passage itself that were found, in lower case, as it writes them.'),
  score: z.number().describe('Higher is better; comparable only within one answer.'),
  before: neighbour,
  after: neighbour,
})

/** Search in sessions, for people: anyone with the token may search them all. */
export function historySearchRoutes(runtime: Runtime): readonly Route[] {
  return [
    route('GET /api/search/history', {
      scope: 'read',
      summary: 'Searches messages and tool calls of sessions, as the tool `read_history` does in one conversation',
      query: z.strictObject({
        q: z
          .string()
          .regex(/\S/, 'expected words to search for')
          .max(2000)
          .describe('Words to search for; words in double quotes match exactly.'),
        session: z.string().min(1).optional().describe('Only this session. Absent: all sessions.'),
        kind: z.enum(['message', 'call']).optional().describe('Only messages, or only tool calls.'),
        limit: limitSchema(10, 100),
      }),
      answers: () =>
        jsonAnswer('Passages, best first. `found` tells whether they contain words of the query or only similar ones', {
          passages: z.array(passage),
          found: z.enum(['words', 'nearest', 'nothing']),
          missing: z.array(z.string()).describe('Words of the query that no passage contains.'),
          nearest: z.array(z.string()).describe('Similar words that were searched for instead.'),
          complete: z.boolean().describe('`false` while older logs are still being indexed.'),
        }),
      handle: async ({ query: { q: text, session, kind, limit: most } }) => {
        if (session !== undefined) await requireSession(runtime.store, session)
        return await runtime.recall.find({
          text,
          limit: most,
          ...(session === undefined ? {} : { sessions: [session] }),
          ...(kind === undefined ? {} : { kinds: [kind] }),
        })
      },
    }),
  ]
}
