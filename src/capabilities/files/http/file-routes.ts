import { z } from 'zod'
import { wholeCharacter } from '../../../context.ts'
import type { FileOwner, FileRow } from '../../../session.ts'
import { bytes, HttpFailure, json, errorResponse, limitSchema } from '../../../server.ts'
import { inbox, type Route, jsonAnswer, route } from '../../../capability.ts'
import { type FileOwners, ownerTypes, choicesWithFiles, findOwner, requireOwnFiles } from './file-owners.ts'
import { upload, type Uploaded } from './upload.ts'

/** Endpoints of files: stored at once, then read, then searchable. */
export function fileRoutes(self: FileOwners): readonly Route[] {
  const library = self.service
  const types = ownerTypes(self)
  const ownerFields = Object.fromEntries(
    types.map((type) => [type, z.string().min(1).optional().describe(`Id of the ${type} that they belong to.`)]),
  )
  const form = z.object({
    ...ownerFields,
    file: z.array(z.file()).describe('One part or several, each with a file name, after the fields.'),
  })
  const names = types.map((type) => `\`${type}/ID\``).join(', ')
  return [
    route('GET /api/files', {
      scope: 'read',
      summary: 'Lists files in the order in which they were added',
      query: z.strictObject({
        owner: z
          .string()
          .regex(new RegExp(`^(?:inbox|(?:${types.join('|')})/.+)$`), `expected ${names} or \`inbox\``)
          .optional()
          .describe(`Only those of ${names}, or of \`inbox\`: not attached yet.`),
      }),
      answers: () => jsonAnswer('Files', { files: z.array(fileRow) }),
      handle: async ({ query: { owner } }) => ({
        files: await library.files(owner === undefined ? undefined : ownerNamed(owner)),
      }),
    }),
    route('POST /api/files', {
      scope: 'talk',
      summary: 'Adds files',
      description:
        'The bytes are on disk when the answer arrives. Reading them continues: `state` shows the progress, and ' +
        `\`GET /api/files/{file}?wait=\` waits for it. Without ${inWords(types)} the files wait for a message ` +
        'that names them among its `attachments`. A refused file does not affect the others.',
      query: z.strictObject(ownerFields),
      form,
      answers: () =>
        jsonAnswer(
          'The stored files, and the refused ones',
          { files: z.array(fileRow), refused: z.array(refusedFile) },
          201,
        ),
      handle: async (call) => uploadAnswer(await upload(self, call, call.query)),
    }),
    route('GET /api/files/:file', {
      scope: 'read',
      summary: 'Returns the facts about a file; with `wait`, after its text is extracted',
      query: z.strictObject({
        wait: z.coerce.number().int().min(0).max(60_000).default(0).describe('Milliseconds to wait until it is read.'),
      }),
      answers: () => jsonAnswer('The file', fileRow),
      handle: async ({ param, query: { wait }, request }) => {
        if (wait === 0) return await library.file(param('file'))
        const signal = AbortSignal.any([self.clock.timeoutSignal(wait), request.signal])
        return await library.settled(param('file'), signal)
      },
    }),
    route('GET /api/files/:file/text', {
      scope: 'read',
      summary: 'Returns the extracted text of a file, page by page',
      query: z.strictObject({
        offset: z.coerce.number().int().min(0).default(0).describe('Characters to skip.'),
        limit: z.coerce.number().int().min(1).max(200_000).default(20_000).describe('The most characters.'),
      }),
      answers: () =>
        jsonAnswer('A piece of it; `next` is the offset of the following one', {
          file: z.string(),
          text: z.string(),
          offset: z.number(),
          total: z.number(),
          next: z.number().optional(),
        }),
      handle: async ({ param, query: { offset, limit } }) => {
        const row = await library.file(param('file'))
        const text = await library.text(row)
        if (text === undefined) throw noText(row)
        const end = pageEnd(text, offset, limit)
        const more = end < text.length ? { next: end } : {}
        return { file: row.id, text: text.slice(offset, end), offset, total: text.length, ...more }
      },
    }),
    route('GET /api/files/:file/content', {
      scope: 'read',
      summary: 'Downloads the original bytes of a file',
      answers: { 200: { description: 'The bytes of the file', media: 'application/octet-stream' } },
      handle: async ({ param }) => {
        const row = await library.file(param('file'))
        return bytes(await library.bytes(row), row.name)
      },
    }),
    route('DELETE /api/files/:file', {
      scope: 'talk',
      summary: 'Removes a file, its text and its entry in the index',
      answers: { 204: { description: 'The file is removed' } },
      async handle({ param }) {
        const { id, owner } = await library.file(param('file'))
        await requireOwnFiles(self, owner)
        await library.remove(id)
      },
    }),
  ]
}

function inWords(types: readonly string[]): string {
  return types.length < 2 ? types.join() : `${types.slice(0, -1).join(', ')} or ${types.at(-1)}`
}

function ownerNamed(name: string): FileOwner {
  if (name === 'inbox') return inbox
  const slash = name.indexOf('/')
  return { type: name.slice(0, slash) as FileOwner['type'], id: name.slice(slash + 1) }
}

/** For a single file, a refusal is the answer. */
function uploadAnswer({ files, refused }: Uploaded): Response {
  const [only, ...others] = refused
  if (only && files.length === 0 && others.length === 0) return errorResponse(only.failure)
  return json({ files, refused: refused.map(({ name, failure: { code, message } }) => ({ name, code, message })) }, 201)
}

/** No page ends within a surrogate pair. */
function pageEnd(text: string, offset: number, limit: number): number {
  const end = Math.min(offset + limit, text.length)
  return wholeCharacter(text, end) < end ? end + 1 : end
}

function noText({ id, name, state }: FileRow): HttpFailure {
  const why =
    state.type === 'processing' ? 'it is still being read' : state.type === 'failed' ? state.reason : 'it is an image'
  return new HttpFailure('no-text', `The file ${name} (${id}) has no text: ${why}`.replace(/\.?$/, '.'), { file: id })
}

const fileState = z.discriminatedUnion('type', [
  z.object({ type: z.literal('processing') }),
  z.object({
    type: z.literal('ready'),
    reading: z.looseObject({
      kind: z.enum(['text', 'table', 'image']),
      characters: z.number().optional(),
      tokens: z.number().optional().describe('Of text by the counter that is named; of an image as assumed.'),
      indexed: z.boolean().optional().describe('It can be searched.'),
    }),
  }),
  z.object({ type: z.literal('failed'), code: z.string(), reason: z.string() }),
])

const fileRow = z.looseObject({
  id: z.string(),
  name: z.string(),
  time: z.string(),
  owner: z.object({ type: z.enum(['session', 'agent', 'project']), id: z.string() }),
  bytes: z.number(),
  hash: z.string().describe('SHA-256.'),
  state: fileState,
  repeated: z.literal(true).optional().describe('Handing it in: its owner has this very file already.'),
})

const refusedFile = z.object({ name: z.string(), code: z.string(), message: z.string() })

const hit = z.looseObject({
  document: z.string().describe('Id of the file.'),
  title: z.string(),
  chunk: z.looseObject({
    text: z.string(),
    start: z.number(),
    end: z.number(),
    page: z.number().optional(),
    line: z.number(),
    headings: z.array(z.string()),
  }),
  score: z.number().describe('Higher is better. Scores are comparable only within one response.'),
  ranks: z
    .array(z.object({ by: z.enum(['words', 'meaning']), rank: z.number(), value: z.number() }))
    .describe('How it was found: its rank in each list that held it, and what that list measured.'),
})

const progress = z
  .object({
    documents: z.number(),
    indexed: z.number(),
    chunks: z.number(),
    embedded: z.number(),
    degraded: z.string().optional(),
  })
  .describe('How far the index has come.')

const answer = z.object({
  hits: z.array(hit),
  degraded: z.string().optional().describe('Why only words were searched although there is an embedding model.'),
  progress,
})

export function searchRoutes(self: FileOwners): readonly Route[] {
  const owners = Object.fromEntries(
    choicesWithFiles(self).map((type) => [
      type,
      z.string().min(1).optional().describe(`Only files of this ${type}. All files where absent.`),
    ]),
  )
  return [
    route('GET /api/search', {
      scope: 'read',
      summary: 'Searches files by words, and by meaning if an embedding model is configured',
      query: z.strictObject({
        q: z.string().regex(/\S/, 'expected words to look for').max(2000).describe('Words to look for, never syntax.'),
        ...owners,
        by: z
          .enum(['words', 'meaning', 'both'])
          .default('both')
          .describe('By their words, by what they mean to the embedding model, or both.'),
        limit: limitSchema(10, 100),
      }),
      answers: () => jsonAnswer('Hits, best first', answer),
      handle: async ({ query: { q: text, limit: most, by, ...named } }) => {
        const owner = Object.keys(named).length === 0 ? undefined : await findOwner(self, named)
        const found = await self.service.search({ text, owner, limit: most, by })
        const { chunks, embedded } = found.progress
        if (by === 'meaning' && found.degraded === undefined && chunks > 0 && embedded === 0) throw noVectors()
        return found
      },
    }),
  ]
}

function noVectors(): HttpFailure {
  const message =
    'No passage has a vector of an embedding model. Set `search.embedding` and let the gateway run until its files are ' +
    'embedded, or search without by=meaning.'
  return new HttpFailure('invalid-input', message, { parameter: 'by' })
}
