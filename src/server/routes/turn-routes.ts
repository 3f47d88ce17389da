import { defined } from '../../platform.ts'
import { z } from 'zod'
import { type Route, route, type Runtime } from '../../capability.ts'
import { turnView } from '../../runtime.ts'
import { json } from '../answer.ts'
import { noSuchSession, noSuchTurn } from '../no-such.ts'
import { limit, turnRow, turnView as turnViewSchema } from '../schema.ts'

/** Turns of a session: list, read, wait for, cancel. */
export function turnRoutes(runtime: Runtime): readonly Route[] {
  const { store } = runtime
  return [
    route({
      method: 'GET',
      path: '/api/sessions/:session/turns',
      tag: 'turns',
      summary: 'Lists the turns of a session, newest first',
      query: z.strictObject({
        limit: limit(50, 500),
        before: z.coerce.number().int().min(1).optional().describe('Only turns with a smaller ordinal.'),
      }),
      answers: { 200: { description: 'A page of turns', schema: z.object({ turns: z.array(turnRow) }) } },
      handle: async ({ param, query: { limit: most, before } }) => {
        const session = param('session')
        const turns = await store.turns(session, { limit: most, ...defined({ before }) })
        if (turns.length === 0 && (await store.session(session)) === undefined) throw noSuchSession(session)
        return json({ turns })
      },
    }),
    route({
      method: 'GET',
      path: '/api/sessions/:session/turns/:turn',
      tag: 'turns',
      summary: 'Reads a turn; with `wait`, once it is over',
      query: z.strictObject({
        wait: z.coerce.number().int().min(0).max(60_000).default(0).describe('Milliseconds to wait for its end.'),
      }),
      answers: { 200: { description: 'The turn; without an outcome while it runs', schema: turnViewSchema } },
      handle: async ({ param, query, request }) => {
        const session = param('session')
        const turn = param('turn')
        const row = await store.turn(session, turn)
        if (row === undefined) throw noSuchTurn(session, turn)
        const running = row.state === 'queued' || row.state === 'running'
        if (running && query.wait > 0) await endOf(runtime, session, turn, query.wait, request.signal)
        return json(await turnView(store, session, turn))
      },
    }),
    route({
      method: 'POST',
      path: '/api/sessions/:session/turns/:turn/cancel',
      tag: 'turns',
      summary: 'Ends a queued or running turn; what was said is kept',
      answers: {
        200: {
          description: '`cancelled` is false where the turn was over already',
          schema: z.object({ cancelled: z.boolean() }),
        },
      },
      handle: async ({ param }) => {
        const session = param('session')
        const turn = param('turn')
        if ((await store.turn(session, turn)) === undefined) throw noSuchTurn(session, turn)
        return json({ cancelled: await runtime.cancel(session, turn) })
      },
    }),
  ]
}

/** Until the turn is over, is interrupted, or the time is up. */
async function endOf(
  runtime: Runtime,
  session: string,
  turn: string,
  waitMs: number,
  left: AbortSignal,
): Promise<void> {
  const signal = AbortSignal.any([AbortSignal.timeout(waitMs), left])
  try {
    const events = runtime.events(session, { turn, signal })
    while (!(await events.next()).done);
  } catch (error) {
    if (!signal.aborted) throw error
  }
}
