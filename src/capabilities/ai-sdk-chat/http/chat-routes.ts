import { defined, readTraceparent } from '../../../platform.ts'
import { z } from 'zod'
import { type Route, route, type RouteCall, type Runtime } from '../../../capability.ts'
import {
  attachmentsSchema,
  empty,
  toFailure,
  HttpFailure,
  type InlineFile,
  inlineFile,
  submitWithFiles,
} from '../../../server.ts'
import { messageText } from '../../../context.ts'
import { turnsTo, turnsToHead, withEdits } from '../../../session.ts'
import { uiFailure, uiMessageStream } from './ui-message-stream.ts'

const CHANNEL = 'chat'

const NEWEST = 20

const uiMessage = z.looseObject({
  id: z.string().optional(),
  role: z.enum(['system', 'user', 'assistant']),
  parts: z.array(
    z.looseObject({
      type: z.string(),
      text: z.string().optional(),
      url: z.string().optional(),
      filename: z.string().optional(),
    }),
  ),
})

const chatBody = z.looseObject({
  id: z.string().min(1).max(500).describe('Names the conversation: a session of its own, or the id of a session.'),
  messages: z.array(uiMessage).min(1).describe('Only the last message is read. The session has the others.'),
  trigger: z.enum(['submit-message', 'regenerate-message']).default('submit-message'),
  messageId: z.string().optional(),
  model: z.string().min(1).optional().describe('`provider/model`, only for this turn.'),
  attachments: attachmentsSchema,
})

const answers = {
  200: { description: 'The UI message stream of the turn', media: 'text/event-stream' },
} as const

/** The endpoints of the AI SDK's UI message stream. `useChat` from `@ai-sdk/react` works unchanged. */
export function chatRoutes(runtime: Runtime): readonly Route[] {
  const { store } = runtime
  return [
    route('POST /api/chat', {
      scope: 'talk',
      summary: 'Sends a message and streams the turn to `useChat`',
      holdsFiles: true,
      description: 'A reader that leaves does not end the turn: `GET /api/chat/{id}/stream` resumes it.',
      body: chatBody,
      answers,
      handle: async ({ body, caller, request, stream }) => {
        const trace = readTraceparent(request.headers.get('traceparent'))
        const message = body.messages.at(-1)!
        const { text, files } = readInput(message, body.attachments)
        const inSession = (await existingSession(body.id)) ?? (await runtime.sessionFor(webBinding(body.id)))
        const names = body.trigger === 'regenerate-message' || body.messageId !== undefined
        const before = names ? await writtenBefore(inSession, message.id, body.messageId) : undefined
        if (
          before &&
          (body.trigger === 'regenerate-message' || (body.messageId !== undefined && before.text !== text))
        ) {
          const again = await runtime.submit({
            session: inSession,
            from: before.parent,
            text,
            attachments: before.attachments,
            ...defined({ model: body.model, token: caller.name, trace }),
          })
          return follow(again.session, again.turn, stream)
        }
        if (body.trigger === 'regenerate-message')
          throw new HttpFailure('not-found', 'This conversation has no answer to regenerate. Send a message first.')
        const { turn, session } = await submitWithFiles(runtime, files, (added) =>
          runtime.submit({
            session: inSession,
            text,
            ...(message.id === undefined || message.id === '' ? {} : { idempotencyKey: `chat:${message.id}` }),
            ...defined({ model: body.model, token: caller.name, trace }),
            ...(body.attachments === undefined && added.length === 0
              ? {}
              : { attachments: [...(body.attachments ?? []), ...added] }),
          }),
        )
        return follow(session, turn, stream)
      },
    }),
    route('GET /api/chat/:id/stream', {
      scope: 'read',
      summary: 'Streams the running turn from its beginning',
      answers: { ...answers, 204: { description: 'No turn is running' } },
      handle: async ({ param, stream }) => {
        const session = (await existingSession(param('id'))) ?? (await store.bound(webBinding(param('id'))))
        if (session === undefined) return empty(204)
        const turns = await store.turns(session, { limit: NEWEST })
        const running = turns.findLast(({ state }) => state === 'queued' || state === 'running')
        return running === undefined ? empty(204) : follow(session, running.turn, stream)
      },
    }),
  ]

  /** The message that a page names, as the log has it: by its id, by the answer to it, or the last one of the session. */
  async function writtenBefore(
    session: string,
    message: string | undefined,
    answer: string | undefined,
  ): Promise<
    { readonly parent: string | null; readonly text: string; readonly attachments: readonly string[] } | undefined
  > {
    const [row, turns] = await Promise.all([store.session(session), store.turns(session)])
    const byKey = message === undefined ? undefined : await store.inputByKey(session, `chat:${message}`)
    const named = byKey?.type === 'input' ? byKey.turn : turns.find(({ turn }) => turn === answer)?.turn
    const turn = named ?? (row && turnsToHead(row, turns).at(-1)?.turn)
    if (turn === undefined) return undefined
    const [input] = withEdits(await store.entries(session, { turn, types: ['input', 'edit'] }))
    if (input?.type !== 'input') return undefined
    const path = turnsTo(turns, turn).filter((one) => one.turn !== turn)
    return {
      parent: path.at(-1)?.turn ?? null,
      text: messageText(input.message),
      attachments: (input.attachments ?? []).map(({ file }) => file),
    }
  }

  async function existingSession(id: string): Promise<string | undefined> {
    return (await store.session(id))?.id
  }

  function follow(session: string, turn: string, stream: RouteCall<unknown, unknown>['stream']): Promise<Response> {
    return stream({
      isAnswer: true,
      headers: {
        'x-vercel-ai-ui-message-stream': 'v1',
        'x-foreword-session': encodeURIComponent(session),
        'x-foreword-turn': encodeURIComponent(turn),
      },
      async run(sink) {
        const eventText = uiMessageStream(session, turn)
        for await (const event of runtime.events(session, { turn, signal: sink.signal })) {
          const text = eventText(event)
          const full = text === '' ? undefined : sink.write(text)
          if (full !== undefined) await full
          if (sink.signal.aborted) return
        }
      },
      lastWords: (error) => uiFailure(toFailure(error).message),
    })
  }
}

function webBinding(conversation: string): { channel: string; conversation: string } {
  return { channel: CHANNEL, conversation }
}

/** Files are `data:` URLs. */
function readInput(
  { role, parts }: z.output<typeof uiMessage>,
  attached: readonly string[] = [],
): { readonly text: string; readonly files: readonly InlineFile[] } {
  if (role !== 'user') {
    throw new HttpFailure('invalid-input', 'Invalid request: the last message must have the role user.')
  }
  const texts: string[] = []
  const files: InlineFile[] = []
  for (const [at, { type, text = '', url = '', filename }] of parts.entries()) {
    if (type === 'text') texts.push(text)
    else if (type === 'file') files.push(inlineFile(url, `parts.${at}.url`, filename))
    else {
      const message = `Invalid request: the message has a part of type ${type}. Only text and file parts are supported.`
      throw new HttpFailure('invalid-input', message)
    }
  }
  const text = texts.join('\n')
  if (text.trim() === '' && files.length === 0 && attached.length === 0) {
    throw new HttpFailure('invalid-input', 'Invalid request: the last message is empty.')
  }
  return { text, files }
}
