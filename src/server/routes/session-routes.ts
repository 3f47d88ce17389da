import { z } from 'zod'
import { type Runtime } from '../../runtime.ts'
import { type SessionRow, shownSession } from '../../session.ts'
import { empty, json } from '../answer.ts'
import { assertThere } from '../assert-there.ts'
import { noSuchSession } from '../no-such.ts'
import { type Route, route } from '../../capability.ts'
import { beginning, limit, sessionRow } from '../schema.ts'

const chosen = z.string().min(1).nullable().optional()

/** Sessions: list, make, read, choose what they are answered with, delete. */
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
      query: z.strictObject({
        limit: limit(50, 500),
        offset: z.coerce.number().int().min(0).default(0),
        beginning,
      }),
      answers: { 200: { description: 'A page of sessions', schema: z.object({ sessions: z.array(sessionRow) }) } },
      handle: async ({ query }) => json({ sessions: (await store.sessions(query)).map(shownSession) }),
    }),
    route({
      method: 'POST',
      path: '/api/sessions',
      tag: 'sessions',
      summary: 'Makes a session',
      body: z.strictObject({
        title: z.string().min(1).max(500).optional(),
        after: z
          .string()
          .min(1)
          .optional()
          .describe('Id of the session that it goes on from: the one before in the same conversation.'),
        model: z.string().min(1).optional(),
        agent: z.string().min(1).optional().describe('Id of a custom agent; the default agent where absent.'),
        project: z.string().min(1).optional().describe('Id of a project.'),
        subject: z.string().min(1).optional().describe('Id of the subject that it is about.'),
      }),
      answers: { 201: { description: 'The new session', schema: sessionRow } },
      handle: async ({ body }) => {
        const row = await runtime.newSession(body)
        return json(shownSession(row), 201, { location: `/api/sessions/${encodeURIComponent(row.id)}` })
      },
    }),
    route({
      method: 'GET',
      path: '/api/sessions/:session',
      tag: 'sessions',
      summary: 'Reads a session',
      answers: { 200: { description: 'The session', schema: sessionRow } },
      handle: async ({ param }) => json(shownSession(await existing(param('session')))),
    }),
    route({
      method: 'PATCH',
      path: '/api/sessions/:session',
      tag: 'sessions',
      summary: 'Chooses the model, the agent, the project and the subject of a session',
      description: 'Each counts from the next turn on. What is not named stays.',
      body: z
        .strictObject({
          model: chosen.describe('`provider/model`; null returns to the configured one.'),
          agent: chosen.describe('Id of a custom agent; null returns to the default agent.'),
          project: chosen.describe('Id of a project; null leaves it.'),
          subject: chosen.describe('Id of a subject; null returns to the configured one, if there is one.'),
        })
        .refine((body) => Object.keys(body).length > 0, 'expected a model, an agent, a project or a subject'),
      answers: { 200: { description: 'The session', schema: sessionRow } },
      handle: async ({ param, body }) => {
        const session = param('session')
        const { model, agent, project, subject } = body
        await existing(session)
        await assertThere(runtime, { agent, project, subject })
        if (model !== undefined) await runtime.setModel(session, model ?? undefined)
        if (agent !== undefined) await runtime.setAgent(session, agent ?? undefined)
        if (project !== undefined) await runtime.setProject(session, project ?? undefined)
        if (subject !== undefined) await runtime.setSubject(session, subject ?? undefined)
        return json(shownSession(await existing(param('session'))))
      },
    }),
    route({
      method: 'POST',
      path: '/api/sessions/:session/undo',
      tag: 'sessions',
      summary: 'Takes the last turn of a session back',
      description: 'It stays in the log, and no later call reads it. What its tools did stays done.',
      answers: {
        200: {
          description:
            'The turn that was taken back, what the person had said in it, and the turn behind which the session goes on',
          schema: z.object({
            undone: z.object({ session: z.string(), turn: z.string(), text: z.string(), head: z.string().nullable() }),
          }),
        },
      },
      handle: async ({ param }) => {
        const { head = null, ...undone } = await runtime.undo(param('session'))
        return json({ undone: { ...undone, head } })
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
