import { defined } from '../../platform.ts'
import { z } from 'zod'
import { type Route, route, type Runtime } from '../../capability.ts'
import { errorBody, json } from '../answer.ts'
import { toFailure, HttpFailure, requireSession, requireTurn } from '../failure.ts'
import { entrySchema, eventIdSchema, limitSchema } from '../schema.ts'

/** What happens in a session: the log in pages, and as a stream that can be resumed. */
export function eventRoutes(runtime: Runtime): readonly Route[] {
  const { store } = runtime
  return [
    route({
      method: 'GET',
      path: '/api/sessions/:session/entries',
      scope: 'read',
      tag: 'sessions',
      summary: 'Reads the log of a session, oldest first',
      query: z.strictObject({
        after: z.coerce.number().int().min(0).default(0).describe('`seq` of the last known entry.'),
        limit: limitSchema(200, 1000),
      }),
      answers: { 200: { description: 'A page of entries', schema: z.object({ entries: z.array(entrySchema) }) } },
      handle: async ({ param, query: { after, limit: most } }) => {
        const session = param('session')
        const entries = await store.entries(session, { after, limit: most })
        if (entries.length === 0) await requireSession(store, session)
        return json({ entries })
      },
    }),
    route({
      method: 'GET',
      path: '/api/sessions/:session/events',
      scope: 'read',
      tag: 'sessions',
      summary: 'Follows a session as server-sent events',
      description:
        'First the entries of the log, then new events. `event: entry` is final; `text-delta` and `reasoning-delta` are ' +
        'provisional, and the `message` entry that follows them has the whole text; `interrupted` reports that a turn ' +
        'stopped and will resume. A reader that was disconnected sends the id of the last event it received. With `turn` ' +
        'the stream ends with the turn.',
      headers: { 'Last-Event-ID': 'Id of the last received event. Takes precedence over `after`.' },
      query: z.strictObject({
        turn: z.string().min(1).optional().describe('Only the events of this turn.'),
        after: eventIdSchema.optional().describe('Id of the last received event; `live`: only new events.'),
      }),
      answers: { 200: { description: 'Events', media: 'text/event-stream' } },
      handle: async ({ param, query, request, stream }) => {
        const session = param('session')
        const after = lastEventId(request) ?? query.after
        if (query.turn === undefined) await requireSession(store, session)
        else await requireTurn(store, session, query.turn)
        return stream({
          async run(sink) {
            sink.begin()
            const options = {
              signal: sink.signal,
              ...defined({ after, turn: query.turn }),
            }
            for await (const event of runtime.events(session, options)) {
              const full = sink.write(`id: ${event.id}\nevent: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`)
              if (full !== undefined) await full
              if (sink.signal.aborted) return
            }
          },
          lastWords: (error) => `event: error\ndata: ${JSON.stringify(errorBody(toFailure(error)))}\n\n`,
        })
      },
    }),
  ]
}

function lastEventId(request: Request): string | undefined {
  const value = request.headers.get('last-event-id')
  if (value === null || value === '') return undefined
  const result = eventIdSchema.safeParse(value)
  if (result.success) return result.data
  throw new HttpFailure('invalid-input', `Invalid request: Last-Event-ID: ${result.error.issues[0]!.message}.`)
}
