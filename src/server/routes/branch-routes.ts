import { z } from 'zod'
import { type Route, route, type Runtime } from '../../capability.ts'
import { json } from '../answer.ts'

const branchSchema = z.object({
  leaf: z.string().describe('The turn that the branch ends with.'),
  current: z.boolean().describe('Whether the conversation goes on in it.'),
  after: z.string().nullable().describe('The last turn that it shares with the branch of the head; null for none.'),
  time: z.string(),
  words: z.string().describe('The beginning of its first own message; of the newest one for the branch of the head.'),
  turns: z.number(),
})

/** Branches of a session: list them, and choose where it goes on. A message with `from` begins one. */
export function branchRoutes(runtime: Runtime): readonly Route[] {
  return [
    route({
      method: 'GET',
      path: '/api/sessions/:session/branches',
      scope: 'read',
      tag: 'sessions',
      summary: 'Lists the branches of a session, that of the head first',
      answers: { 200: { description: 'Branches', schema: z.object({ branches: z.array(branchSchema) }) } },
      handle: async ({ param }) => json({ branches: await runtime.branches(param('session')) }),
    }),
    route({
      method: 'POST',
      path: '/api/sessions/:session/head',
      scope: 'talk',
      tag: 'sessions',
      summary: 'Chooses the turn after which a session goes on',
      description: 'Nothing is removed: the other turns are kept in their branches.',
      body: z.strictObject({ turn: z.string().min(1).nullable().describe('null: the beginning of the conversation.') }),
      answers: { 200: { description: 'The head', schema: z.object({ head: z.string().nullable() }) } },
      handle: async ({ param, body }) => {
        await runtime.goOnFrom(param('session'), body.turn)
        return json({ head: body.turn })
      },
    }),
  ]
}
