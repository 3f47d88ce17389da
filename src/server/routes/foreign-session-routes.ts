import { z } from 'zod'
import { type Route, jsonAnswer, route, type Runtime } from '../../capability.ts'
import { limitSchema, manifestSchema } from '../schema.ts'

const exchange = z.looseObject({
  call: z.string(),
  turn: z.string(),
  words: z.string().optional().describe('What a person said, in the first call of a turn.'),
  answer: z
    .looseObject({
      text: z.string(),
      reasoning: z.string(),
      calls: z.array(z.looseObject({ id: z.string(), name: z.string() })).describe('Tools that the model called.'),
      finish: z.string().optional().describe('As the provider says it. Absent where the answer broke off.'),
    })
    .optional()
    .describe('Absent where nothing came.'),
})

const finding = z.looseObject({
  code: z.string(),
  severity: z.enum(['warning', 'note']),
  where: z.looseObject({ calls: z.array(z.string()).optional() }),
  message: z.string(),
  hint: z.string(),
  cost: z.looseObject({
    kind: z
      .enum(['sent', 'again'])
      .describe('`sent`: could be left out. `again`: a cache could not give it because of this.'),
    tokens: z.number().int().describe('Over all calls of the session.'),
    money: z.number().optional().describe('US dollars, where the price of the model is known.'),
  }),
})

/** Sessions of other programs: what was said in them, what their calls read, and what they paid for without need. */
export function foreignSessionRoutes({ foreignSessions }: Pick<Runtime, 'foreignSessions'>): readonly Route[] {
  return [
    route('GET /api/sessions/:session/exchanges', {
      scope: 'read',
      tag: 'calls',
      summary: 'Lists what was said in the calls of another program, oldest first',
      description:
        'The newest calls, or the newest of those before `before`. Empty for a session of this gateway: its log has what was said.',
      query: z.strictObject({
        limit: limitSchema(100, 1000),
        before: z.string().min(1).optional().describe('Id of the first known call.'),
      }),
      answers: () => jsonAnswer('Exchanges', { exchanges: z.array(exchange) }),
      handle: async ({ param, query }) => ({ exchanges: await foreignSessions.exchanges(param('session'), query) }),
    }),
    route('GET /api/sessions/:session/findings', {
      scope: 'read',
      tag: 'calls',
      summary: 'Finds what the calls of another program paid for without need, each finding with its price',
      description:
        'Tools that were never used, results that were read again, files that are in a request several times, and what broke ' +
        'the cache. Looks at the newest 1,000 calls. Calls no model.',
      answers: () =>
        jsonAnswer(
          'The findings, the most expensive first',
          z.looseObject({
            session: z.string(),
            calls: z.number().int(),
            sum: z
              .looseObject({ tokens: z.number().int(), money: z.number().optional() })
              .describe('Of all findings: no token is in two of them.'),
            findings: z.array(finding),
            agents: z
              .array(
                z.looseObject({
                  id: z.string(),
                  name: z.string().optional(),
                  parent: z.string().optional().describe('The agent that started it.'),
                  calls: z.number().int(),
                  money: z.number().optional(),
                }),
              )
              .describe('Agents that the program started within the session, the most expensive first.'),
          }),
        ),
      handle: ({ param }) => foreignSessions.findings(param('session')),
    }),
    route('GET /api/calls/:call/parts', {
      scope: 'read',
      summary: 'Takes a call of another program apart: its entries, and the exact text of each',
      answers: () =>
        jsonAnswer(
          'The parts, in reading order',
          z.looseObject({
            manifest: manifestSchema,
            pieces: z.array(z.looseObject({ entry: z.number().int(), tokens: z.number() })),
          }),
        ),
      handle: ({ param }) => foreignSessions.parts(param('call')),
    }),
  ]
}
