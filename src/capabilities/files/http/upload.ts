import { once } from 'node:events'
import type { Readable } from 'node:stream'
import { type AddedFile, type Failure, type RouteCall, RuntimeError } from '../../../capability.ts'
import type { FileOwner } from '../../../session.ts'
import { toFailure, HttpFailure } from '../../../server.ts'
import { fileLabel, serialQueue } from '../../../platform.ts'
import { findOwner, type FileOwners, type OwnerFields, ownerTypes, requireOwnFiles } from './file-owners.ts'

export interface Uploaded {
  readonly files: readonly AddedFile[]
  readonly refused: readonly RefusedFile[]
}

interface RefusedFile {
  readonly name: string
  readonly failure: Failure
}

/**
 * Stores the files of a form, each as it arrives. Fields of the form before its files name their owner; without one,
 * the files wait in the inbox. An incomplete form leaves nothing behind.
 */
export async function upload(
  self: FileOwners,
  { request, caller }: Pick<RouteCall<unknown, unknown>, 'request' | 'caller'>,
  fields: OwnerFields,
): Promise<Uploaded> {
  const types = ownerTypes(self)
  const given: Record<string, string | undefined> = { ...fields }
  const files: (AddedFile | undefined)[] = []
  const refused: RefusedFile[] = []
  let owner: Promise<FileOwner> | undefined
  let count = 0
  /** One after another, in the order of the form: documents of a project are numbered by it. */
  const queue = serialQueue()
  const take = async (place: number, name: string, bytes: AsyncIterable<Uint8Array>, to: FileOwner) => {
    try {
      files[place] = await self.service.add({ name, bytes, owner: to, by: caller.by })
    } catch (error) {
      refused.push({ name, failure: fileFailure(name, error) })
    }
  }
  try {
    await readForm(request, {
      field(name, value) {
        if (!types.includes(name)) throw unknownField(name, types)
        if (owner) throw fieldAfterFiles(name)
        given[name] = value
      },
      async file(name, bytes) {
        const place = count++
        owner ??= findOwnOwner(self, given)
        const to = owner
        await queue.add(async () => take(place, name, bytes, await to))
      },
    })
  } catch (error) {
    for (const row of files) if (row && !row.repeated) await self.service.remove(row.id)
    throw error
  }
  if (count === 0) throw new HttpFailure('invalid-input', 'The form has no file. Add a part with a file name.')
  return { files: files.filter((row) => row !== undefined), refused }
}

async function findOwnOwner(self: FileOwners, given: OwnerFields): Promise<FileOwner> {
  const owner = await findOwner(self, given)
  await requireOwnFiles(self, owner)
  return owner
}

/** A file that is too large, has no room or no name is refused by itself; everything else concerns the whole form. */
function fileFailure(name: string, error: unknown): Failure {
  if (!(error instanceof RuntimeError)) throw error
  const { facts, message } = error
  if (facts['store'] === 'too-large') {
    return new HttpFailure('file-too-large', `The file ${name} was refused: ${message}.`, { file: name }).failure
  }
  if (error.code !== 'invalid-input' && error.code !== 'over-quota') throw error
  return toFailure(error)
}

function unknownField(name: string, types: readonly string[]): HttpFailure {
  const known = types.join(', ')
  return new HttpFailure('invalid-input', `A form with files has no field ${JSON.stringify(name)}; it has ${known}.`)
}

function fieldAfterFiles(name: string): HttpFailure {
  const message = `The field ${name} must come before the files. Nothing was stored. Move the field, or put it into the address: ?${name}=…`
  return new HttpFailure('invalid-input', message)
}

/** Receives the parts of a form in the order in which they arrive. */
interface FormReader {
  /** A part without a file name. */
  field(name: string, value: string): void
  /** A file. Bytes that it leaves unread are skipped. After it rejects, no further part follows. */
  file(name: string, bytes: AsyncIterable<Uint8Array>): Promise<void>
}

const limits = { fields: 10, fieldNameSize: 100, fieldSize: 1_000, files: 50, headerPairs: 50, headerSize: 16_384 }

/** Bytes that are still received after a failure: many clients read the answer only after they have sent everything. */
const MOST_DROPPED = 64 * 1024 * 1024

/**
 * Reads a `multipart/form-data` body without keeping a file in memory. Rejects with `HttpFailure` for any other body,
 * an incomplete one, or too many parts, and with what the reader rejects with. Every `file` has settled by then.
 */
async function readForm(request: Request, reader: FormReader): Promise<void> {
  const type = request.headers.get('content-type') ?? ''
  if (!/^multipart\/form-data\s*;.*boundary=/i.test(type) || request.body === null)
    throw new HttpFailure(
      'unsupported-media-type',
      'The body must be a form with files. Send it as "multipart/form-data", such as `curl -F file=@PATH`.',
    )
  const { Busboy } = await import('@fastify/busboy')
  const parser = new Busboy({ headers: { 'content-type': type }, limits })
  const open = new Set<Readable>()
  const read: Promise<void>[] = []
  const stopped = Promise.withResolvers<void>()
  let failure: { readonly reason: unknown } | undefined

  const stop = (reason: unknown) => {
    failure ??= { reason }
    for (const stream of open) stream.destroy(new Error('the form is read no further'))
    stopped.resolve()
  }
  parser.on('error', () => stop(incompleteForm()))
  parser.on('filesLimit', () =>
    stop(badForm(`A form may have at most ${limits.files} files. Send the others in another form.`)),
  )
  parser.on('fieldsLimit', () => stop(badForm(`A form may have at most ${limits.fields} fields.`)))
  parser.on('field', (name, value, _nameCut, cut) => {
    if (failure) return
    if (cut) return stop(badForm(`The field ${name} is longer than ${limits.fieldSize} characters.`))
    try {
      reader.field(name, value)
    } catch (error) {
      stop(error)
    }
  })
  parser.on('file', (_field, stream, name) => {
    stream.on('error', () => {})
    if (failure) return stream.resume()
    open.add(stream)
    const work = reader.file(fileLabel(decodeName(name ?? '')), fileBytes(stream)).catch(stop)
    read.push(work.finally(() => void (open.delete(stream) && stream.resume())))
    return undefined
  })

  let dropped = 0
  try {
    for await (const bytes of request.body) {
      if (failure) dropped += bytes.byteLength
      else if (!parser.write(bytes)) await Promise.race([once(parser, 'drain'), stopped.promise])
      if (dropped > MOST_DROPPED) break
    }
    if (!failure) await Promise.race([once(parser.end(), 'finish'), stopped.promise])
  } catch {
    stop(incompleteForm())
  }
  await Promise.all(read)
  parser.destroy()
  if (failure) throw failure.reason
}

/** Decodes the characters that browsers and `fetch` escape in a quoted file name (HTML, "multipart/form-data"). */
function decodeName(written: string): string {
  return written.replaceAll(/%(?:22|0D|0A)/gi, (code) => String.fromCharCode(Number.parseInt(code.slice(1), 16)))
}

/** The parser waits until a file is read, or skipped, to its end. */
async function* fileBytes(stream: Readable): AsyncGenerator<Uint8Array> {
  try {
    yield* stream.iterator({ destroyOnReturn: false }) as AsyncIterable<Uint8Array>
  } catch {
    throw incompleteForm()
  }
}

function incompleteForm(): HttpFailure {
  return badForm('The form is incomplete or malformed. Nothing was stored. Send it again.')
}

function badForm(message: string): HttpFailure {
  return new HttpFailure('invalid-input', message)
}
