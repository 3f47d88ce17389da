import { z } from 'zod'
import { type Route, jsonAnswer, route, type Runtime } from '../../capability.ts'
import { defined, type KnownSecrets } from '../../platform.ts'
import { exportSession, sessionView } from '../../session.ts'
import { errorBody, json } from '../answer.ts'
import { HttpFailure, requireSession, toFailure } from '../failure.ts'
import { sessionRowSchema } from '../schema.ts'

/** An import is kept in memory until all of it is written, bytes. */
const LARGEST_IMPORT = 512 * 1024 * 1024

/** Sessions as JSON Lines: out of a home and into one. */
export function sessionTransferRoutes(runtime: Runtime, secrets?: KnownSecrets): readonly Route[] {
  return [
    route('GET /api/sessions/:session/export', {
      scope: 'read',
      summary: 'Exports a session as JSON Lines, complete and exact',
      description: 'The last line counts the others: an export without it is not complete.',
      answers: { 200: { description: 'The export', media: 'application/jsonl' } },
      handle: async ({ param, stream }) => {
        const { id } = await requireSession(runtime.store, param('session'))
        return stream({
          async run(sink) {
            sink.header('content-type', 'application/jsonl; charset=utf-8')
            sink.header('content-disposition', `attachment; filename="${id.replaceAll(/[^\w.-]/g, '_')}.jsonl"`)
            sink.begin()
            for await (const line of exportSession(runtime.store, id, secrets)) {
              if (sink.signal.aborted) return
              await sink.write(`${line}\n`)
            }
          },
          lastWords: (error) => `${JSON.stringify(errorBody(toFailure(error)))}\n`,
          isAnswer: true,
        })
      },
    }),
    route('POST /api/sessions/import', {
      scope: 'talk',
      summary: 'Imports an exported session from JSON Lines: all of it or nothing',
      description:
        'The body is the export, declared as `application/jsonl`. Turns that had not ended are cancelled. The bytes of files are not ' +
        'in an export.',
      query: z.strictObject({
        as: z.string().min(1).max(200).optional().describe('Another id, where the id of the export is taken.'),
      }),
      answers: () => jsonAnswer('The imported session', sessionRowSchema, 201),
      handle: async ({ request, query }) => {
        requireLines(request)
        const id = await runtime.importSession(bodyLines(request), defined({ as: query.as }))
        const row = await requireSession(runtime.store, id)
        return json(sessionView(row), 201, { location: `/api/sessions/${encodeURIComponent(id)}` })
      },
    }),
  ]
}

/** A form on a foreign page cannot declare this type. */
function requireLines(request: Request): void {
  if (/^application\/(?:jsonl|x-ndjson)\b/i.test(request.headers.get('content-type') ?? '')) return
  throw new HttpFailure(
    'unsupported-media-type',
    'The body must be declared as JSON Lines. Send the header "Content-Type: application/jsonl".',
  )
}

async function* bodyLines(request: Request): AsyncGenerator<string> {
  if (request.body === null) return
  const decoder = new TextDecoder()
  let size = 0
  let rest: string[] = []
  for await (const bytes of request.body) {
    size += bytes.byteLength
    if (size > LARGEST_IMPORT)
      throw new HttpFailure(
        'body-too-large',
        `The export is larger than ${LARGEST_IMPORT} bytes. Stop the gateway and use \`foreword sessions import FILE\`.`,
        { maxBytes: LARGEST_IMPORT },
      )
    const pieces = decoder.decode(bytes, { stream: true }).split('\n')
    if (pieces.length === 1) {
      rest.push(pieces[0]!)
      continue
    }
    yield [...rest, pieces[0]!].join('')
    yield* pieces.slice(1, -1)
    rest = [pieces.at(-1)!]
  }
  const last = rest.join('') + decoder.decode()
  if (last !== '') yield last
}

const branchSchema = z.object({
  leaf: z.string().describe('The turn that the branch ends with.'),
  current: z.boolean().describe('Whether the conversation goes on in it.'),
  after: z.string().nullable().describe('The last turn that it shares with the branch of the head; null for none.'),
  time: z.string(),
  words: z.string().describe('The beginning of its first own message; of the newest one for the branch of the head.'),
  turns: z.number(),
})

/** Branches of a session: list them, and choose where it goes on. A message with `from` begins one. */
export function branchRoutes(runtime: Runtime): readonly Route[] {
  return [
    route('GET /api/sessions/:session/branches', {
      scope: 'read',
      summary: 'Lists the branches of a session, that of the head first',
      answers: () => jsonAnswer('Branches', { branches: z.array(branchSchema) }),
      handle: async ({ param }) => ({ branches: await runtime.branches(param('session')) }),
    }),
    route('POST /api/sessions/:session/head', {
      scope: 'talk',
      summary: 'Chooses the turn after which a session goes on',
      description: 'Nothing is removed: the other turns are kept in their branches.',
      body: z.strictObject({ turn: z.string().min(1).nullable().describe('null: the beginning of the conversation.') }),
      answers: () => jsonAnswer('The head', { head: z.string().nullable() }),
      handle: async ({ param, body }) => {
        await runtime.goOnFrom(param('session'), body.turn)
        return { head: body.turn }
      },
    }),
  ]
}
