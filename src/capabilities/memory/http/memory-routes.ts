import { z } from 'zod'
import { type Route, jsonAnswer, route } from '../../../capability.ts'
import { type SessionMemory, sessionMemory } from '../core/memory.ts'

interface MemoryRoutesService {
  /** What a session receives from earlier ones. Rejects with `not-found`. `input`: the next message. */
  memory(session: string, input: string): Promise<SessionMemory>
  /** Gives other sessions nothing of a session from now on, for good. Rejects with `not-found`. */
  forgetMemory(session: string): Promise<void>
}

export function memoryRoutes(service: MemoryRoutesService): readonly Route[] {
  return [
    route('GET /api/sessions/:session/memory', {
      scope: 'read',
      summary: 'Returns what a session receives from earlier sessions, and its own summary',
      query: z.strictObject({
        input: z.string().max(10_000).default('').describe('The next message. Its words find earlier tool calls.'),
      }),
      answers: () => jsonAnswer('Text, tokens and origin of each layer', sessionMemory),
      handle: ({ param, query }) => service.memory(param('session'), query.input),
    }),
    route('DELETE /api/sessions/:session/memory', {
      scope: 'talk',
      summary: 'Removes a session from the memory of all others',
      description:
        'Other sessions receive nothing more from this session, and what their calls received from it is deleted permanently. The log of the session stays.',
      answers: { 204: { description: 'The session is forgotten' } },
      handle: ({ param }) => service.forgetMemory(param('session')),
    }),
  ]
}
