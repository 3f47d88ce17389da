import { z } from 'zod'
import { type Route, jsonAnswer, route, type RouteCall, type Runtime } from '../../capability.ts'
import { defined, enclosedJson, readTraceparent } from '../../platform.ts'
import { readTurnView } from '../../runtime.ts'
import { json, errorBody } from '../answer.ts'
import { HttpFailure, requireSession, requireTurn, toFailure } from '../failure.ts'
import {
  attachmentsSchema,
  limitSchema,
  submittedSchema,
  turnRowSchema,
  turnViewSchema,
  entrySchema,
  eventIdSchema,
} from '../schema.ts'

const message = {
  text: z.string().default('').describe('The text of the message. It may be blank where files are attached.'),
  attachments: attachmentsSchema,
  from: z
    .string()
    .min(1)
    .nullable()
    .optional()
    .describe('The turn that the message follows, null for none: it begins a branch. Absent: the head of the session.'),
  model: z.string().min(1).optional().describe('`provider/model`, for this turn alone.'),
  beside: z
    .string()
    .min(1)
    .optional()
    .describe(
      'A second `provider/model`, which answers the same message at the same time, in a branch of its own. The ' +
        'conversation goes on after the first answer until `POST /api/sessions/{session}/head` moves it. Neither may call ' +
        'a tool that does more than read.',
    ),
  system: z.string().min(1).optional().describe('System prompt of this turn alone, in place of any other.'),
  budgets: z
    .array(
      z.union([z.strictObject({ usd: z.number().min(0).max(1_000_000) }), z.strictObject({ tokens: z.int().min(0) })]),
    )
    .max(10)
    .optional()
    .describe(
      'Limits of this turn besides those of the configuration. A call that could pass one waits for the owner.',
    ),
  whenRefused: z
    .enum(['retry', 'fail'])
    .optional()
    .describe(
      '`fail`: a model server of this machine that does not run ends the turn at once. `retry` asks it again for a while.',
    ),
  idempotencyKey: z
    .string()
    .min(1)
    .max(500)
    .optional()
    .describe('A repeat with the same key does not begin a second turn.'),
}

const messageBody = z.strictObject(message).superRefine(requireContent)
const firstMessageBody = z
  .strictObject({
    ...message,
    session: z.string().min(1).optional().describe('Absent: a new session is created.'),
    after: z.string().min(1).optional().describe('The session that a new one continues.'),
  })
  .superRefine(requireContent)

const about = {
  scope: 'talk',
  tag: 'messages',
  description: 'The answer is sent once the input is on disk: from then on it cannot get lost.',
  headers: {
    'Idempotency-Key': 'The same as `idempotencyKey` in the body.',
    traceparent: 'The span that the turn belongs to (W3C Trace Context), for spans that are exported.',
  },
  answers: { 202: { description: 'Accepted, with the turn that answers the message', schema: submittedSchema } },
} as const

/** Sends a message to a session. The turn that it begins is followed through other endpoints. */
export function messageRoutes(runtime: Runtime): readonly Route[] {
  const submit = async (
    session: string | undefined,
    body: z.output<typeof firstMessageBody>,
    { request, caller }: Pick<RouteCall<unknown, unknown>, 'request' | 'caller'>,
  ) => {
    const inHeader = request.headers.get('idempotency-key') ?? undefined
    const idempotencyKey = body.idempotencyKey ?? inHeader
    if (inHeader !== undefined && inHeader !== idempotencyKey) {
      const sentence = 'Invalid request: Idempotency-Key and idempotencyKey differ. Send one of them.'
      throw new HttpFailure('invalid-input', sentence)
    }
    const answer = await runtime.submit({
      text: body.text,
      ...defined({ session }),
      ...(session !== undefined || body.after === undefined ? {} : { after: body.after }),
      ...defined({
        from: body.from,
        model: body.model,
        beside: body.beside,
        system: body.system,
        idempotencyKey,
        attachments: body.attachments,
        whenRefused: body.whenRefused === 'fail' ? ('fail' as const) : undefined,
        budgets: body.budgets?.map((limit) => ({ limit })),
        token: caller.name,
        trace: readTraceparent(request.headers.get('traceparent')),
      }),
    })
    return json(answer, 202, {
      location: `/api/sessions/${encodeURIComponent(answer.session)}/turns/${encodeURIComponent(answer.turn)}`,
    })
  }
  return [
    route('POST /api/messages', {
      ...about,
      summary: 'Sends a message to a new session or an existing one',
      body: firstMessageBody,
      handle: (call) => submit(call.body.session, call.body, call),
    }),
    route('POST /api/sessions/:session/messages', {
      ...about,
      summary: 'Sends a message to a session',
      body: messageBody,
      handle: (call) => submit(call.param('session'), call.body, call),
    }),
  ]
}

function requireContent(
  { text, attachments: files = [] }: { readonly text: string; readonly attachments?: readonly string[] | undefined },
  check: z.core.$RefinementCtx,
): void {
  if (text.trim() !== '' || files.length > 0) return
  check.addIssue({ code: 'custom', path: ['text'], message: 'expected a text that is not blank' })
}

export function turnRoutes(runtime: Runtime): readonly Route[] {
  const { store } = runtime
  return [
    route('GET /api/sessions/:session/turns', {
      scope: 'read',
      tag: 'turns',
      summary: 'Lists the turns of a session, newest first',
      query: z.strictObject({
        limit: limitSchema(50, 500),
        before: z.coerce.number().int().min(1).optional().describe('Only turns with a smaller ordinal.'),
      }),
      answers: () => jsonAnswer('A page of turns', { turns: z.array(turnRowSchema) }),
      handle: async ({ param, query: { limit: most, before } }) => {
        const session = param('session')
        const turns = await store.turns(session, { limit: most, ...defined({ before }) })
        if (turns.length === 0) await requireSession(store, session)
        return { turns }
      },
    }),
    route('GET /api/sessions/:session/turns/:turn', {
      scope: 'read',
      tag: 'turns',
      summary: 'Reads a turn; with `wait`, once it has ended',
      query: z.strictObject({
        wait: z.coerce.number().int().min(0).max(60_000).default(0).describe('Milliseconds to wait for its end.'),
      }),
      answers: () => jsonAnswer('The turn, without an outcome while it runs', turnViewSchema),
      handle: async ({ param, query, request }) => {
        const session = param('session')
        const turn = param('turn')
        if (query.wait > 0) await waitForEnd(runtime, session, turn, query.wait, request.signal)
        return await readTurnView(store, session, turn)
      },
    }),
    route('POST /api/sessions/:session/turns/:turn/cancel', {
      scope: 'talk',
      tag: 'turns',
      summary: 'Cancels a queued or running turn; the text so far is kept',
      answers: () => jsonAnswer('`cancelled` is false where the turn had already ended', { cancelled: z.boolean() }),
      handle: async ({ param }) => {
        const session = param('session')
        const turn = param('turn')
        await requireTurn(store, session, turn)
        return { cancelled: await runtime.cancel(session, turn) }
      },
    }),
    route('PATCH /api/sessions/:session/turns/:turn', {
      scope: 'talk',
      tag: 'turns',
      summary: 'Changes a message that waits for its turn; it keeps its place, and the log keeps both',
      description:
        '`changed` where it is being answered already, and where it was edited since `base`: then the error has its words as they are now (`text`, `attachments`) and their `base`.',
      body: z
        .strictObject({
          text: message.text,
          attachments: attachmentsSchema,
          base: z
            .int()
            .min(1)
            .optional()
            .describe(
              '`seq` of the entry with the words that were read, its `input` or its newest `edit`. Absent: any.',
            ),
        })
        .superRefine(requireContent),
      answers: () => jsonAnswer('The message was changed', { turn: z.string() }),
      handle: async ({ param, body: { text, attachments, base } }) => {
        const turn = param('turn')
        await runtime.editWaiting(param('session'), turn, { text, ...defined({ attachments, base }) })
        return { turn }
      },
    }),
    route('POST /api/sessions/:session/turns/:turn/withdraw', {
      scope: 'talk',
      tag: 'turns',
      summary: 'Takes back a message that waits for its turn; it stays in the log, and no call reads it',
      answers: () => jsonAnswer('`withdrawn` is false where the message no longer waits', { withdrawn: z.boolean() }),
      handle: async ({ param }) => {
        const session = param('session')
        const turn = param('turn')
        await requireTurn(store, session, turn)
        return { withdrawn: await runtime.withdraw(session, turn) }
      },
    }),
  ]
}

/** Waits until the turn has ended or is interrupted, or the time is up. */
async function waitForEnd(
  runtime: Runtime,
  session: string,
  turn: string,
  waitMs: number,
  left: AbortSignal,
): Promise<void> {
  const over = new AbortController()
  const cancel = runtime.store.clock.timer(waitMs, () => over.abort(), { idle: true })
  try {
    await runtime.waitForTurn(session, turn, AbortSignal.any([over.signal, left]))
  } finally {
    cancel()
  }
}

/** What happens in a session: the log in pages, and as a stream that can be resumed. */
export function eventRoutes(runtime: Runtime): readonly Route[] {
  const { store } = runtime
  return [
    route('GET /api/sessions/:session/entries', {
      scope: 'read',
      summary: 'Reads the log of a session, oldest first',
      query: z.strictObject({
        after: z.coerce.number().int().min(0).default(0).describe('`seq` of the last known entry.'),
        limit: limitSchema(200, 1000),
      }),
      answers: () => jsonAnswer('A page of entries', { entries: z.array(entrySchema) }),
      handle: async ({ param, query: { after, limit: most } }) => {
        const session = param('session')
        const entries = await store.entries(session, { after, limit: most })
        if (entries.length === 0) await requireSession(store, session)
        return { entries }
      },
    }),
    route('GET /api/sessions/:session/events', {
      scope: 'read',
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
            const options = { signal: sink.signal, ...defined({ after, turn: query.turn }) }
            for await (const event of runtime.events(session, options)) {
              const full = sink.write(enclosedJson(`id: ${event.id}\nevent: ${event.type}\ndata: `, event, '\n\n'))
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
