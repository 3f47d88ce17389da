import { z } from 'zod'
import { defined } from '../../platform.ts'
import { costService, type Route, jsonAnswer, route, type Runtime } from '../../capability.ts'
import { sessionNotFound } from '../../runtime.ts'
import { json, errorBody } from '../answer.ts'
import { requireSession, toFailure } from '../failure.ts'
import { costSums, idPrefixSchema, limitSchema, sessionRowSchema as plainRow } from '../schema.ts'
import { choiceChanges, choiceIds, type ChoiceDescriptions, splitChoices } from '../session-choices.ts'
import { sessionActivities, type SessionRow, sessionView, type EntryBody, type SessionStore } from '../../session.ts'

export function sessionRoutes(runtime: Runtime, choices: ChoiceDescriptions): readonly Route[] {
  const { store } = runtime
  const sessionRow = plainRow.extend({ ...choiceIds(choices), cost: costSchema })
  const views = async (rows: readonly SessionRow[], withCost = false) => {
    const programs = await runtime.foreignSessions.programs(rows)
    const named = rows.map((row) => ({ ...sessionView(row), ...defined({ program: programs.get(row.id) }) }))
    if (!withCost) return named
    const costs = await runtime.capability(costService)?.sessionCosts(rows.map(({ id }) => id))
    return named.map((row) => ({ ...row, cost: costs?.get(row.id) }))
  }
  const changes = ['title', 'pin', 'folder', 'model', ...Object.keys(choices)]
  const watch = createSessionWatch(store)

  return [
    route('GET /api/sessions', {
      scope: 'read',
      summary: 'Lists sessions, newest activity first',
      query: z.strictObject({
        limit: limitSchema(50, 500),
        offset: z.coerce.number().int().min(0).default(0),
        beginning: idPrefixSchema,
        q: z
          .string()
          .regex(/\S/, 'expected words to search for')
          .max(500)
          .optional()
          .describe('Words of the title or, without one, of the first message; in any order and case.'),
        folder: nameSchema.optional().describe('Only sessions in this folder.'),
        state: z.enum(sessionActivities).optional().describe('Only sessions in this state.'),
        pinned: z
          .enum(['true', 'false'])
          .transform((value) => value === 'true')
          .optional()
          .describe('Only pinned sessions, or only others.'),
        cost: costQuery,
      }),
      answers: () => jsonAnswer('A page of sessions', { sessions: z.array(sessionRow) }),
      handle: async ({ query: { q: words, cost, ...query } }) => ({
        sessions: await views(await store.sessions({ ...query, words: words?.trim() }), cost),
      }),
    }),
    route('GET /api/session-folders', {
      scope: 'read',
      tag: 'sessions',
      summary: 'Lists the folders that sessions are in',
      answers: () =>
        jsonAnswer('Folders by name, with the number of sessions in each', {
          folders: z.array(z.object({ folder: z.string(), sessions: z.number() })),
        }),
      handle: async () => ({ folders: await store.sessionFolders() }),
    }),
    ...sessionChangeRoutes(runtime, watch),
    route('POST /api/sessions', {
      scope: 'talk',
      summary: 'Creates a session',
      body: z.strictObject({
        title: z.string().min(1).max(500).optional(),
        after: z
          .string()
          .min(1)
          .optional()
          .describe('Id of the session that it continues: the previous one of the same conversation.'),
        model: z.string().min(1).optional(),
        ...choiceIds(choices),
      }),
      answers: () => jsonAnswer('The new session', sessionRow, 201),
      handle: async ({ body }) => {
        const { chosen, others } = splitChoices<string, typeof body>(choices, body)
        const row = await runtime.newSession({ ...others, choices: chosen })
        return json(sessionView(row), 201, { location: `/api/sessions/${encodeURIComponent(row.id)}` })
      },
    }),
    route('GET /api/sessions/:session', {
      scope: 'read',
      summary: 'Reads a session',
      query: z.strictObject({ cost: costQuery }),
      answers: () => jsonAnswer('The session', sessionRow),
      handle: async ({ param, query }) => {
        const [view] = await views([await requireSession(store, param('session'))], query.cost)
        return view
      },
    }),
    route('PATCH /api/sessions/:session', {
      scope: 'talk',
      summary: `Sets ${joinWords(
        changes.map((name) => `the ${name}`),
        'and',
      )} of a session`,
      description:
        'A change of the model or of a choice takes effect with the next turn. Absent fields stay as they are.',
      body: z
        .strictObject({
          title: nameSchema.nullable().optional().describe('null: the session is listed by its first message.'),
          pinned: z.boolean().optional(),
          folder: nameSchema.nullable().optional().describe('null takes the session out of its folder.'),
          model: z
            .string()
            .min(1)
            .nullable()
            .optional()
            .describe('`provider/model`; null returns to the configured one.'),
          ...choiceChanges(choices),
        })
        .refine((body) => Object.keys(body).length > 0, `expected ${joinWords(changes.map(withArticle), 'or')}`),
      answers: () => jsonAnswer('The session', sessionRow),
      handle: async ({ param, body }) => {
        const session = param('session')
        const { chosen, others } = splitChoices<string | null, typeof body>(choices, body)
        const { model, ...label } = others
        const before = await requireSession(store, session)
        await runtime.choose(session, chosen)
        try {
          if (model !== undefined) await runtime.setModel(session, model ?? undefined)
        } catch (error) {
          // A request that is refused changes nothing.
          await runtime.choose(
            session,
            Object.fromEntries(Object.keys(chosen).map((name) => [name, before.choices[name] ?? null])),
          )
          throw error
        }
        if (Object.keys(label).length > 0) await runtime.label(session, label)
        return sessionView(await requireSession(store, param('session')))
      },
    }),
    route('POST /api/sessions/:session/undo', {
      scope: 'talk',
      summary: 'Undoes the last turn of a session',
      description: 'The turn stays in the log, but no later call reads it. Effects of its tools are not undone.',
      answers: () =>
        jsonAnswer('The undone turn, its input, and the turn after which the session continues', {
          undone: z.object({ session: z.string(), turn: z.string(), text: z.string(), head: z.string().nullable() }),
        }),
      handle: async ({ param }) => {
        const { head = null, ...undone } = await runtime.undo(param('session'))
        return { undone: { ...undone, head } }
      },
    }),
    route('DELETE /api/sessions/:session', {
      scope: 'talk',
      summary: 'Deletes a session with all its content',
      answers: { 204: { description: 'Deleted' } },
      handle: async ({ param }) => {
        if (!(await runtime.deleteSession(param('session')))) throw sessionNotFound(param('session'))
        watch.note(param('session'))
      },
    }),
  ]
}

const costSchema = z
  .looseObject(costSums)
  .optional()
  .describe('What the calls of the session cost together, where it was asked for.')

/** Each session's calls are added up for it: a list that nobody reads the money of stays fast. */
const costQuery = z
  .enum(['true', 'false'])
  .transform((value) => value === 'true')
  .optional()
  .describe('`true`: with what the calls of each session cost.')

/** A title, or the name of a folder: one line. */
const nameSchema = z
  .string()
  .max(500)
  .regex(/^\P{Cc}*[^\s\p{Cc}]\P{Cc}*$/u, 'expected one line of text')
  .transform((name) => name.trim().toWellFormed())

function withArticle(name: string): string {
  return `${/^[aeiou]/.test(name) ? 'an' : 'a'} ${name}`
}

/** `the model, the agent and the project`. */
function joinWords(words: readonly string[], last: string): string {
  return words.length < 2 ? words.join('') : `${words.slice(0, -1).join(', ')} ${last} ${words.at(-1)}`
}

const option = z.object({ id: z.string(), name: z.string().optional(), summary: z.string().optional() })

const offeredChoice = z.object({
  name: z.string(),
  summary: z.string(),
  none: z.string(),
  several: z.boolean().optional().describe('An id may be several ids of the options, with commas between them.'),
})

/** What a session can choose, and the options of each choice. */
export function choiceRoutes(runtime: Pick<Runtime, 'choiceOptions'>, choices: ChoiceDescriptions): readonly Route[] {
  return [
    route('GET /api/choices', {
      scope: 'read',
      tag: 'sessions',
      summary: 'Lists what a session can choose besides its model, and what choosing none means',
      answers: () => jsonAnswer('Choices', { choices: z.array(offeredChoice) }),
      handle: () => ({
        choices: Object.entries(choices).map(([name, { summary, none, several }]) => ({
          name,
          summary,
          none,
          several,
        })),
      }),
    }),
    route('GET /api/choices/:choice', {
      scope: 'read',
      tag: 'sessions',
      summary: 'Lists the options of a choice such as `agent`; without `options` where they cannot be listed',
      answers: () => jsonAnswer('Options', { options: z.array(option).optional() }),
      handle: async ({ param }) => ({ options: await runtime.choiceOptions(param('choice')) }),
    }),
  ]
}

type SessionWatch = ReturnType<typeof createSessionWatch>

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

function createSessionWatch(store: Pick<SessionStore, 'watch'>) {
  const listeners = new Set<(session: string) => void>()
  const note = (session: string): void => {
    for (const listener of listeners) listener(session)
  }
  let stop = (): void => {}
  return {
    note,
    /** Returns what removes the listener. */
    listen(listener: (session: string) => void) {
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
function sessionChangeRoutes(
  runtime: Pick<Runtime, 'store' | 'foreignSessions'>,
  watch: SessionWatch,
): readonly Route[] {
  return [
    route('GET /api/session-changes', {
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
