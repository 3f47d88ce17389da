import { z } from 'zod'
import { type Route, jsonAnswer, route } from '../../../capability.ts'
import { download, empty } from '../../../server.ts'
import type { BackupService } from '../backup-state.ts'

const made = z.object({ time: z.string(), bytes: z.number(), files: z.number() })

/** Archives of the home. For people: no tool reaches these endpoints. */
export function backupRoutes(backups: BackupService): readonly Route[] {
  const tag = 'backup'
  return [
    route('GET /api/backups', {
      scope: 'admin',
      tag,
      summary: 'The archive that is being made, the one that can be downloaded, and those that were made before',
      answers: () =>
        jsonAnswer('The state', {
          running: z.object({ stage: z.string(), done: z.number().optional(), all: z.number().optional() }).optional(),
          ready: made
            .extend({
              id: z.string(),
              name: z.string(),
              leftOut: z.array(z.string()).describe('What could not be part of it, with the reason.'),
              outside: z.array(z.string()).describe('Folders outside the home, which no archive contains.'),
            })
            .optional(),
          failed: z.object({ message: z.string(), hint: z.string().optional() }).optional(),
          made: z.array(made),
        }),
      handle: () => backups.state(),
    }),
    route('POST /api/backups', {
      scope: 'admin',
      tag,
      summary: 'Begins to make an archive of the whole home, as `foreword backup` does',
      description: 'It contains the token of the gateway and the keys of providers.',
      answers: { 202: { description: 'It has begun: `GET /api/backups` shows how far it is' } },
      async handle() {
        await backups.make()
        return empty(202)
      },
    }),
    route('GET /api/backups/:backup/archive', {
      scope: 'admin',
      tag,
      summary: 'Downloads an archive, a tar.gz',
      answers: { 200: { description: 'The archive', media: 'application/gzip' } },
      handle: async ({ param }) => download(await backups.open(param('backup')), 'application/gzip'),
    }),
  ]
}
