import { z } from 'zod'
import { restoreBodySchema, expectedVersionSchema } from '../../../server.ts'
import { jsonAnswer, type Route, route } from '../../../capability.ts'
import type { EditedPrompt, SystemPrompt } from '../edited-prompt.ts'

const version = z.object({
  version: z.number(),
  time: z.string(),
  text: z.string().optional().describe('Absent: it was reset in this version.'),
})

interface PromptParts {
  readonly edited: EditedPrompt
  readonly own: Pick<SystemPrompt, 'own' | 'warnings'>
}

export function promptRoutes({ edited: prompt, own }: PromptParts): readonly Route[] {
  const answers = jsonAnswer('The new version', version)
  return [
    route('GET /api/prompt', {
      scope: 'read',
      summary: 'Returns the edited system prompt',
      description:
        'Without one, the prompt of the home or the packaged one counts: POST /api/context shows it in place. A blank text ' +
        'is the choice to send no system prompt.',
      answers: () =>
        jsonAnswer('The text, if it was edited, the newest version, and what counts without an edit', {
          edited: z.boolean(),
          ...version.partial().shape,
          unedited: z.object({ text: z.string(), from: z.string() }).describe('What counts after a reset.'),
          warnings: z.array(z.string()).describe('What is odd about the file of the home.'),
        }),
      handle: async () => {
        const newest = (await prompt.versions())[0]
        const { text, ref } = own.own()
        const unedited = { text, from: ref }
        return { edited: newest?.text !== undefined, ...newest, unedited, warnings: own.warnings() }
      },
    }),
    route('PUT /api/prompt', {
      scope: 'admin',
      summary: 'Edits the system prompt',
      body: z.strictObject({
        text: z
          .string()
          .describe('May contain {{date}}, {{tools}} and {{citations}}. Blank: no system prompt is sent.'),
        after: expectedVersionSchema,
      }),
      answers,
      handle: ({ body }) => prompt.edit(body.text, body.after),
    }),
    route('DELETE /api/prompt', {
      scope: 'admin',
      summary: 'Resets the system prompt to that of the home, or to the packaged one',
      answers,
      handle: () => prompt.reset(),
    }),
    route('GET /api/prompt/versions', {
      scope: 'read',
      summary: 'Lists every version of the system prompt, newest first',
      answers: () => jsonAnswer('Versions', { versions: z.array(version) }),
      handle: async () => ({ versions: await prompt.versions() }),
    }),
    route('POST /api/prompt/restore', {
      scope: 'admin',
      summary: 'Makes an earlier version of the system prompt the newest',
      body: restoreBodySchema,
      answers,
      handle: ({ body }) => prompt.restore(body.version),
    }),
  ]
}
