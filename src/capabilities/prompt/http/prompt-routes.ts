import { z } from 'zod'
import { json, restoreBodySchema, expectedVersionSchema } from '../../../server.ts'
import { type Route, route } from '../../../capability.ts'
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
  const about = { path: '/api/prompt', tag: 'prompt' } as const
  const answers = { 200: { description: 'The new version', schema: version } } as const
  return [
    route({
      ...about,
      method: 'GET',
      scope: 'read',
      summary: 'Returns the edited system prompt',
      description:
        'Without one, the prompt of the home or the packaged one counts: POST /api/context shows it in place. A blank text ' +
        'is the choice to send no system prompt.',
      answers: {
        200: {
          description: 'The text, if it was edited, the newest version, and what counts without an edit',
          schema: z.object({
            edited: z.boolean(),
            ...version.partial().shape,
            unedited: z.object({ text: z.string(), from: z.string() }).describe('What counts after a reset.'),
            warnings: z.array(z.string()).describe('What is odd about the file of the home.'),
          }),
        },
      },
      handle: async () => {
        const newest = (await prompt.versions())[0]
        const { text, ref } = own.own()
        const unedited = { text, from: ref }
        return json({ edited: newest?.text !== undefined, ...newest, unedited, warnings: own.warnings() })
      },
    }),
    route({
      ...about,
      method: 'PUT',
      scope: 'admin',
      summary: 'Edits the system prompt',
      body: z.strictObject({
        text: z
          .string()
          .describe('May contain {{date}}, {{tools}} and {{citations}}. Blank: no system prompt is sent.'),
        after: expectedVersionSchema,
      }),
      answers,
      handle: async ({ body }) => json(await prompt.edit(body.text, body.after)),
    }),
    route({
      ...about,
      method: 'DELETE',
      scope: 'admin',
      summary: 'Resets the system prompt to that of the home, or to the packaged one',
      answers,
      handle: async () => json(await prompt.reset()),
    }),
    route({
      ...about,
      method: 'GET',
      path: '/api/prompt/versions',
      scope: 'read',
      summary: 'Lists every version of the system prompt, newest first',
      answers: { 200: { description: 'Versions', schema: z.object({ versions: z.array(version) }) } },
      handle: async () => json({ versions: await prompt.versions() }),
    }),
    route({
      ...about,
      method: 'POST',
      path: '/api/prompt/restore',
      scope: 'admin',
      summary: 'Makes an earlier version of the system prompt the newest',
      body: restoreBodySchema,
      answers,
      handle: async ({ body }) => json(await prompt.restore(body.version)),
    }),
  ]
}
