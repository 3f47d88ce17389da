import { z } from 'zod'
import { type Route, jsonAnswer, route, type Runtime } from '../../capability.ts'

const noteSchema = z.object({
  id: z.string().describe('As a manifest names it.'),
  content: z.string().describe('`sha256:HASH` of its text.'),
  from: z.string().describe('The oldest turn that it covers.'),
  to: z.string().describe('The newest turn that it covers.'),
  turns: z.number(),
  fromNumber: z.number().optional().describe('Which turn of the session the oldest is, from 1.'),
  toNumber: z.number().optional(),
  by: z.string().optional().describe('The call whose model wrote words of it; absent for an index alone.'),
  text: z.string(),
  tokens: z.number(),
})

/** Notes on what cuts took out of a session: read them, have the newest written again, leave them out. */
export function noteRoutes({ notes }: Pick<Runtime, 'notes'>): readonly Route[] {
  return [
    route('GET /api/sessions/:session/notes', {
      scope: 'read',
      summary: 'Lists the notes that stand in the place of turns that were cut out',
      answers: () =>
        jsonAnswer('Notes, in the order in which they stand in a request', {
          notes: z.array(noteSchema),
          first: z.array(z.string()).describe('Turns at the beginning that stay as they were said.'),
          ready: z
            .object({ through: z.string(), text: z.string(), call: z.string() })
            .optional()
            .describe('Words that lie ready for the next note.'),
          fault: z.string().optional().describe('Why the last answer of a model became no note.'),
          noWords: z
            .string()
            .optional()
            .describe('Why the model of the session writes none: its longest answer is too short.'),
        }),
      handle: ({ param }) => notes.list(param('session')),
    }),
    route('POST /api/sessions/:session/notes', {
      scope: 'talk',
      summary: 'Has the newest note written again by the model of the session',
      description: 'It stands in the next call; what is behind it is sent again at its full price.',
      answers: () => jsonAnswer('The note', noteSchema),
      handle: ({ param }) => notes.write(param('session')),
    }),
    route('DELETE /api/sessions/:session/notes', {
      scope: 'talk',
      summary: 'Leaves the notes of a session out from the next call on',
      answers: () => jsonAnswer('How many there were', { forgotten: z.number() }),
      handle: async ({ param }) => ({ forgotten: await notes.forget(param('session')) }),
    }),
  ]
}
