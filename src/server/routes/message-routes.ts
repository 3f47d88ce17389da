import { defined } from '../../platform.ts'
import { z } from 'zod'
import { type Route, route, type Runtime } from '../../capability.ts'
import { json } from '../answer.ts'
import { HttpFailure } from '../failure.ts'
import { attachments, submitted } from '../schema.ts'

const message = {
  text: z.string().default('').describe('What is said. It may be blank where files are attached.'),
  attachments,
  model: z.string().min(1).optional().describe('`provider/model`, for this turn alone.'),
  system: z.string().min(1).optional().describe('System prompt of this turn alone, in place of every other.'),
  idempotencyKey: z.string().min(1).max(500).optional().describe('A repeat with the same key begins no second turn.'),
}

const messageBody = z.strictObject(message).superRefine(saysSomething)
const firstMessageBody = z
  .strictObject({
    ...message,
    session: z.string().min(1).optional().describe('A new session is made where absent.'),
    after: z.string().min(1).optional().describe('The session that a new one goes on from.'),
  })
  .superRefine(saysSomething)

const about = {
  method: 'POST',
  tag: 'messages',
  description: 'The answer comes once the input is on disk: from then on it is not lost, whatever happens.',
  headers: { 'Idempotency-Key': 'The same as `idempotencyKey` in the body.' },
  answers: { 202: { description: 'Accepted: the turn that answers it', schema: submitted } },
} as const

/** Sends a message to a session; the turn that it begins is followed elsewhere. */
export function messageRoutes(runtime: Runtime): readonly Route[] {
  const submit = async (session: string | undefined, body: z.output<typeof firstMessageBody>, request: Request) => {
    const idempotencyKey = keyOf(body.idempotencyKey, request.headers.get('idempotency-key'))
    const answer = await runtime.submit({
      text: body.text,
      ...defined({ session }),
      ...(session !== undefined || body.after === undefined ? {} : { after: body.after }),
      ...defined({ model: body.model, system: body.system, idempotencyKey, attachments: body.attachments }),
    })
    return json(answer, 202, {
      location: `/api/sessions/${encodeURIComponent(answer.session)}/turns/${encodeURIComponent(answer.turn)}`,
    })
  }
  return [
    route({
      ...about,
      path: '/api/messages',
      summary: 'Sends a message to a new session or an existing one',
      body: firstMessageBody,
      handle: ({ body, request }) => submit(body.session, body, request),
    }),
    route({
      ...about,
      path: '/api/sessions/:session/messages',
      summary: 'Sends a message to a session',
      body: messageBody,
      handle: ({ body, request, param }) => submit(param('session'), body, request),
    }),
  ]
}

function keyOf(inBody: string | undefined, inHeader: string | null): string | undefined {
  if (inBody !== undefined && inHeader !== null && inBody !== inHeader) {
    throw new HttpFailure(400, 'invalid-input', 'Idempotency-Key and idempotencyKey differ. Send one of them.')
  }
  return inBody ?? inHeader ?? undefined
}

function saysSomething(
  { text, attachments: files = [] }: { readonly text: string; readonly attachments?: readonly string[] | undefined },
  check: z.core.$RefinementCtx,
): void {
  if (text.trim() !== '' || files.length > 0) return
  check.addIssue({ code: 'custom', path: ['text'], message: 'expected a text that is not blank' })
}
