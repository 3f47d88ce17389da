import { z } from 'zod'
import { capability } from '../../capability.ts'
import { openaiFailure } from './http/openai-failure.ts'
import type { KeptResponses } from './responses/kept-responses.ts'

const responseSettings = z
  .strictObject({
    keepDays: z
      .int()
      .min(0)
      .max(3650)
      .default(30)
      .describe(
        'How long a response outside sessions is kept after its last use, days, unless its request says `store: false`. 0: none is kept.',
      ),
  })
  .prefault({})
  .describe("Responses of OpenAI's Responses API.")

/** OpenAI's formats under `/v1`: its official clients work as they are. */
export const openaiApi = capability<z.output<typeof responseSettings>, KeptResponses>({
  name: 'openai-api',
  summary: "Answers in OpenAI's formats under /v1",
  settings: { schema: responseSettings, key: 'responses' },
  start: async (host) => (await import('./responses/kept-responses.ts')).openKeptResponses(host),
  lifecycle: {
    async recover({ service, listens, warn }) {
      if (listens)
        await service.sweep().catch((error: unknown) => warn(`Old responses cannot be removed: ${String(error)}`))
    },
  },
  http: {
    async routes({ runtime, service }) {
      const { openaiRoutes } = await import('./http/openai-routes.ts')
      const { responseRoutes } = await import('./responses/response-routes.ts')
      return [...openaiRoutes(runtime), ...responseRoutes(runtime, service)]
    },
    errors: [{ path: '/v1/', format: openaiFailure }],
  },
})
