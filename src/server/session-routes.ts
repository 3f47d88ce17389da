import { z } from 'zod'
import { type Runtime } from '../runtime.ts'
import { type SessionRow } from '../session.ts'
import { empty, json } from './answer.ts'
import { noSuchSession } from './no-such.ts'
import { type Route, route } from './route.ts'
import { limit, sessionRow } from './schema.ts'

/** Sessions: list, make, read, choose a model, delete. */
export function sessionRoutes(runtime: Runtime): readonly Route[] {
  const { store } = runtime

  const existing = async (id: string): Promise<SessionRow> => {
    const row = await store.session(id)
    if (row === undefined) throw noSuchSession(id)
    return row
  }

  return [
    route({
      method: 'GET',
      path: '/api/sessions',
      tag: 'sessions',
      summary: 'Lists sessions, newest activity first',
      query: z.strictObject({ limit: limit(50, 500), offset: z.coerce.number().int().min(0).default(0) }),
      answers: { 200: { description: 'A page of sessions', schema: z.object({ sessions: z.array(sessionRow) }) } },
      handle: async ({ query }) => json({ sessions: await store.sessions(query) }),
    }),
    route({
      method: 'POST',
      path: '/api/sessions',
      tag: 'sessions',
      summary: 'Makes a session',
      body: z.strictObject({ title: z.string().min(1).max(500).optional(), model: z.string().min(1).optional() }),
      answers: { 201: { description: 'The new session', schema: sessionRow } },
      handle: async ({ body }) => {
        const row = await runtime.newSession(body)
        return json(row, 201, { location: `/api/sessions/${encodeURIComponent(row.id)}` })
      },
    }),
    route({
      method: 'GET',
      path: '/api/sessions/:session',
      tag: 'sessions',
      summary: 'Reads a session',
      answers: { 200: { description: 'The session', schema: sessionRow } },
      handle: async ({ param }) => json(await existing(param('session'))),
    }),
    route({
      method: 'PATCH',
      path: '/api/sessions/:session',
      tag: 'sessions',
      summary: 'Chooses the model of a session',
      body: z.strictObject({
        model: z.string().min(1).nullable().describe('`provider/model`; null returns to the configured one.'),
      }),
      answers: { 200: { description: 'The session', schema: sessionRow } },
      handle: async ({ param, body }) => {
        await existing(param('session'))
        await runtime.setModel(param('session'), body.model ?? undefined)
        return json(await existing(param('session')))
      },
    }),
    route({
      method: 'DELETE',
      path: '/api/sessions/:session',
      tag: 'sessions',
      summary: 'Deletes a session with everything in it',
      answers: { 204: { description: 'It is gone' } },
      handle: async ({ param }) => {
        if (!(await runtime.deleteSession(param('session')))) throw noSuchSession(param('session'))
        return empty(204)
      },
    }),
  ]
}
