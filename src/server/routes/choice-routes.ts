import { z } from 'zod'
import { type Route, route, type Runtime } from '../../capability.ts'
import { json } from '../answer.ts'

const option = z.object({ id: z.string(), name: z.string().optional(), summary: z.string().optional() })

/** What sessions can choose. */
export function choiceRoutes(runtime: Pick<Runtime, 'choiceOptions'>): readonly Route[] {
  return [
    route({
      method: 'GET',
      path: '/api/choices/:choice',
      tag: 'sessions',
      summary: 'Lists what a session can choose, such as `agent`; without `options` where that cannot be listed',
      answers: { 200: { description: 'Options', schema: z.object({ options: z.array(option).optional() }) } },
      handle: async ({ param }) => json({ options: await runtime.choiceOptions(param('choice')) }),
    }),
  ]
}
