import { z } from 'zod'
import { type Route, jsonAnswer, route } from '../../../capability.ts'

interface MemoryRoutesService {
  /** What a session receives from earlier ones. Rejects with `not-found`. `input`: the next message. */
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
      text: z.string().describe('The text as the model reads it. Empty if there is none.'),
      tokens: z.number(),
      from: z.array(z.string()).describe('Sessions that its text comes from.'),
      origin: z.string(),
    }),
  ),
  own: z
    .object({
      session: z.string(),
      text: z.string(),
      by: z.string().optional().describe('Model that wrote the summary. Absent if fixed rules wrote it.'),
      covers: z.string().describe('SHA-256 of the summarized entries.'),
      time: z.string(),
    })
    .optional()
    .describe('Summary of this session for the next one. Absent if the session has no messages.'),
  forgotten: z.boolean().describe('Whether other sessions receive nothing from this one.'),
})

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
