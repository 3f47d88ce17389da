import { hostname } from 'node:os'
import { z } from 'zod'
import type { PeopleHomes } from '../../runtime.ts'
import { jsonAnswer, type Route, route, type Runtime } from '../../capability.ts'

/** The gateways on the store of this one. `people`: whose homes are spread over them. */
export function gatewayRoutes(
  runtime: Runtime,
  version: string,
  people: Pick<PeopleHomes, 'spread'> | undefined,
): readonly Route[] {
  const { clock, gateways } = runtime.store
  const time = z.iso.datetime()
  return [
    route('GET /api/gateways', {
      scope: 'read',
      tag: 'system',
      summary: 'Lists the gateways on the store: the one that works, and those that stand by',
      description:
        'A store that no other machine reaches has this gateway alone. Times are those of the database. A gateway that is `lost` has ' +
        'given no sign of life for some seconds.',
      answers: jsonAnswer(
        'The gateways, the one that works first',
        z.object({
          gateways: z.array(
            z.object({
              id: z.string(),
              host: z.string(),
              pid: z.number(),
              address: z.string().optional().describe('Absent until it listens.'),
              version: z.string(),
              started: time,
              heartbeat: time,
              state: z.enum(['active', 'standby', 'lost']),
              since: time.optional().describe('Since when it is the one that works.'),
              people: z
                .array(z.string())
                .optional()
                .describe('Whose homes it has, or takes as soon as they are quiet. Absent: of nobody but the owner.'),
              settings: z
                .object({
                  version: z.number().describe('Grows by one with each change.'),
                  refused: z.array(z.string()).describe('What of it cannot be used there, in sentences.'),
                })
                .optional()
                .describe('The settings of the team that it uses. Absent until it has looked.'),
            }),
          ),
        }),
      ),
      async handle() {
        if (gateways) {
          const rows = await gateways.list()
          return { gateways: (await people?.spread(rows)) ?? rows }
        }
        const { started } = await runtime.status()
        const own = { id: 'gateway', host: hostname(), pid: process.pid, version, started, heartbeat: clock.time() }
        return { gateways: [{ ...own, state: 'active', since: started }] }
      },
    }),
  ]
}
