import { z } from 'zod'
import { type Route, route, type Runtime } from '../../capability.ts'
import { lintHome } from '../../runtime.ts'
import { json } from '../answer.ts'

const lintQuery = z.strictObject({
  tools: z
    .string()
    .max(1_000)
    .default('')
    .transform((text) => text.split(',').filter(Boolean))
    .describe('Names of tools, with commas between them, whose inputs the answer has.'),
})

const finding = z.looseObject({
  code: z.string(),
  severity: z.enum(['warning', 'note']),
  message: z.string(),
  hint: z.string(),
  cost: z
    .looseObject({
      kind: z
        .enum(['sent', 'again'])
        .describe('`sent`: could be left out. `again`: a cache cannot give it because of this.'),
      tokens: z.number().int().describe('Per hundred calls.'),
      money: z.number().optional().describe('US dollars per hundred calls, where the price of the model is known.'),
    })
    .optional(),
})

/** What breaks caches or wastes room in prompts. */
export function lintRoutes(runtime: Runtime): readonly Route[] {
  return [
    route({
      method: 'GET',
      path: '/api/lint',
      scope: 'read',
      tag: 'calls',
      summary: 'Finds what breaks prompt caches or wastes room, each finding with its price per hundred calls',
      description:
        'Looks at what the next call of a new session would send, at the newest 500 calls, and at the tools of the last 30 ' +
        'days. Calls no model and changes nothing. `foreword check --lint` adds files and what capabilities find.',
      query: lintQuery,
      answers: {
        200: {
          description: 'The findings: warnings first, the dearest first',
          schema: z.looseObject({ calls: z.number().int(), findings: z.array(finding) }),
        },
      },
      handle: async ({ query }) =>
        json(await lintHome(runtime, { ...query, now: new Date(runtime.store.clock.now()) })),
    }),
  ]
}
