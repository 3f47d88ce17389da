import { z } from 'zod'
import { errorBody, json } from '../answer.ts'
import { toFailure } from '../failure.ts'
import { type Route, route, type Runtime } from '../../capability.ts'

/** The endpoint that answers until the process ends, so that nobody ends a gateway that is finishing its answers. */
export const LIVE_PATH = '/health/live'

/** Whether the gateway runs, and whether it can be given work: for a service manager, an orchestrator or a load balancer. */
export function healthRoutes(runtime: Runtime): readonly Route[] {
  let storeFailed = false
  void runtime.store.failed.then(() => (storeFailed = true))
  const up = { description: 'It does', schema: z.object({ ok: z.literal(true) }) }
  return [
    route('GET /health', {
      tag: 'system',
      summary: 'Reports that the gateway is up and can write. Needs no token',
      needsToken: false,
      answers: {
        200: { description: 'The gateway is up', schema: z.object({ ok: z.literal(true) }) },
        503: {
          description: 'The store takes nothing more, and the gateway is stopping',
          schema: z.object({
            ok: z.literal(false),
            error: z.object({ code: z.literal('storage'), message: z.string() }),
          }),
        },
      },
      handle() {
        if (!storeFailed) return { ok: true }
        const message = 'The disk failed, and nothing more is stored. The gateway is stopping.'
        return json({ ok: false, error: { code: 'storage', message } }, 503)
      },
    }),
    route(`GET ${LIVE_PATH}`, {
      tag: 'system',
      summary: 'Reports that the process answers, also while it stops. Needs no token',
      needsToken: false,
      answers: { 200: up },
      handle: () => ({ ok: true }),
    }),
    route('GET /health/ready', {
      tag: 'system',
      summary:
        'Reports that a message would be accepted: the store can be written, and the gateway is not stopping. Needs no token',
      description:
        'The port opens once the turns of the process before have been taken up. Nothing is written for an answer while writes go ' +
        'well; after one that failed, a small one of its own finds out whether that is over, at most one a second.',
      needsToken: false,
      answers: {
        200: up,
        503: {
          description:
            'No message would be accepted: `storage-full`, `storage`, `standby` or `closing`; with `Retry-After`',
          schema: z.object({ error: z.object({ code: z.string(), message: z.string() }) }),
        },
      },
      async handle() {
        const why = await runtime.unready()
        return why ? json(errorBody(toFailure(why)), 503, { 'retry-after': '5' }) : { ok: true }
      },
    }),
  ]
}
