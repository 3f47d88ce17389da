import { z } from 'zod'
import { type Route, route, type Runtime } from '../../capability.ts'
import { defined } from '../../platform.ts'
import { type EntryBody, type SessionStore, sessionView } from '../../session.ts'
import { errorBody } from '../answer.ts'
import { toFailure } from '../failure.ts'

/** Reports each session whose line in a list may have changed, by its id. */
export interface SessionWatch {
  /** Returns what removes the listener. */
  listen(listener: (session: string) => void): () => void
  /** Reports a deleted session. */
  note(session: string): void
}

/** What changes the line of a session. */
const SHOWN: readonly EntryBody['type'][] = [
  'session-start',
  'input',
  'edit',
  'turn-start',
  'turn-end',
  'approval-request',
  'approval',
  'head',
  'label',
  'model',
  'choice',
  'foreign-call',
]

/** Creates the watch of a store. Deletions are not in its log: they have to be noted. */
export function createSessionWatch(store: Pick<SessionStore, 'watch'>): SessionWatch {
  const listeners = new Set<(session: string) => void>()
  const note = (session: string): void => {
    for (const listener of listeners) listener(session)
  }
  let stop = (): void => {}
  return {
    note,
    listen(listener) {
      if (listeners.size === 0) {
        stop = store.watch((entries) => {
          if (entries.some(({ type }) => SHOWN.includes(type))) note(entries[0]!.session)
        })
      }
      listeners.add(listener)
      return () => {
        listeners.delete(listener)
        if (listeners.size === 0) stop()
      }
    },
  }
}

/** The changes of all sessions as a stream, for a list that is on a screen. */
export function sessionChangeRoutes(
  runtime: Pick<Runtime, 'store' | 'foreignSessions'>,
  watch: SessionWatch,
): readonly Route[] {
  return [
    route({
      method: 'GET',
      path: '/api/session-changes',
      scope: 'read',
      tag: 'sessions',
      summary: 'Follows the list of sessions as server-sent events',
      description:
        '`event: ready` comes first: read the list after it. `event: session` has the session as it is now, each time that its ' +
        'state, title, pin, folder or last activity changes; `event: deleted` has the id of one that is gone. Changes that follow ' +
        'each other at once are one event. Nothing is repeated to a reader that was away: it reads the list again.',
      query: z.strictObject({}),
      answers: { 200: { description: 'Events', media: 'text/event-stream' } },
      handle: ({ stream }) =>
        stream({
          async run(sink) {
            const changed = new Set<string>()
            let wake = (): void => {}
            const end = watch.listen((session) => {
              changed.add(session)
              wake()
            })
            const aborted = (): void => wake()
            sink.signal.addEventListener('abort', aborted)
            try {
              sink.begin()
              await sink.write(`event: ready\ndata: {}\n\n`)
              while (!sink.signal.aborted) {
                if (changed.size === 0) await new Promise<void>((resolve) => (wake = resolve))
                const sessions = [...changed]
                changed.clear()
                for (const session of sessions) {
                  if (sink.signal.aborted) return
                  await sink.write(await changeEvent(runtime, session))
                }
              }
            } finally {
              end()
              sink.signal.removeEventListener('abort', aborted)
            }
          },
          lastWords: (error) => `event: error\ndata: ${JSON.stringify(errorBody(toFailure(error)))}\n\n`,
        }),
    }),
  ]
}

async function changeEvent(
  { store, foreignSessions }: Pick<Runtime, 'store' | 'foreignSessions'>,
  session: string,
): Promise<string> {
  const row = await store.session(session)
  if (row === undefined) return `event: deleted\ndata: ${JSON.stringify({ id: session })}\n\n`
  const program = (await foreignSessions.programs([row])).get(session)
  return `event: session\ndata: ${JSON.stringify({ ...sessionView(row), ...defined({ program }) })}\n\n`
}
