import { z } from 'zod'
import { type Route, route } from '../../../capability.ts'
import { empty, json } from '../../../server.ts'

/** What these routes ask of the capability. */
interface MemoryRoutesService {
  /** What a session is given of earlier ones. Rejects with `not-found`. `input`: the next message. */
  memory(session: string, input: string): Promise<unknown>
  /** Gives other sessions nothing of a session from now on, for good. Rejects with `not-found`. */
  forgetMemory(session: string): Promise<void>
}

const sessionMemory = z.object({
  session: z.string(),
  on: z.object({ previousSession: z.boolean(), toolHistory: z.boolean() }).describe('In the configured layout.'),
  layers: z.array(
    z.object({
      id: z.enum(['memory', 'previous-session', 'tool-history']),
      text: z.string().describe('As the model reads it; empty where there is nothing.'),
      tokens: z.number(),
      from: z.array(z.string()).describe('Sessions whose words it holds.'),
      origin: z.string(),
    }),
  ),
  own: z
    .object({
      session: z.string(),
      text: z.string(),
      by: z.string().optional().describe('The model that wrote it; absent: by rule from the log.'),
      covers: z.string().describe('SHA-256 of what it was made of.'),
      time: z.string(),
    })
    .optional()
    .describe('Its own summary, for the next session; absent where nothing was said in it.'),
  forgotten: z.boolean().describe('Nothing of it is given to other sessions.'),
})

/** What a session is given of earlier ones: read, and forget. */
export function memoryRoutes(service: MemoryRoutesService): readonly Route[] {
  return [
    route({
      method: 'GET',
      path: '/api/sessions/:session/memory',
      tag: 'sessions',
      summary: 'What a session is given of earlier ones, and what is kept of it',
      query: z.strictObject({
        input: z.string().max(10_000).default('').describe('The next message: its words find earlier calls of tools.'),
      }),
      answers: { 200: { description: 'Text, price and source of each layer', schema: sessionMemory } },
      handle: async ({ param, query }) => json(await service.memory(param('session'), query.input)),
    }),
    route({
      method: 'DELETE',
      path: '/api/sessions/:session/memory',
      tag: 'sessions',
      summary: 'Forgets a session in all others',
      description:
        'No other session is given anything of it from now on, and what calls of others were given of it is removed, for good. Its own log stays.',
      answers: { 204: { description: 'It is forgotten' } },
      handle: async ({ param }) => {
        await service.forgetMemory(param('session'))
        return empty(204)
      },
    }),
  ]
}
