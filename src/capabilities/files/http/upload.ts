import { once } from 'node:events'
import type { Readable } from 'node:stream'
import { type AddedFile, type Failure, RuntimeError } from '../../../capability.ts'
import type { FileOwner } from '../../../session.ts'
import { failureOf, HttpFailure } from '../../../server.ts'
import { serialQueue } from '../../../platform.ts'
import { type OwnerFields, type FileOwners, findOwner, ownerTypes } from './file-owners.ts'

/** What became of the files of one form. */
export interface Uploaded {
  readonly files: readonly AddedFile[]
  readonly refused: readonly RefusedFile[]
}

/** A file that was not taken; the others of its form were. */
interface RefusedFile {
  readonly name: string
  readonly failure: Failure
}

/**
 * Takes in the files of a form, each as it comes. `belonging` and the fields of the form that stand before its files say
 * what they belong to; where neither does, they wait in the inbox for the message that they are attached to. A form that
 * breaks off leaves nothing behind.
 */
export async function upload(self: FileOwners, request: Request, belonging: OwnerFields): Promise<Uploaded> {
  const types = ownerTypes(self)
  const given: Record<string, string | undefined> = { ...belonging }
  const files: (AddedFile | undefined)[] = []
  const refused: RefusedFile[] = []
  let owner: Promise<FileOwner> | undefined
  let count = 0
  /** One after another, so that they stand in the order of the form: documents of a project are numbered by it. */
  const queue = serialQueue()
  const take = async (place: number, name: string, bytes: AsyncIterable<Uint8Array>, to: FileOwner) => {
    try {
      files[place] = await self.service.add({ name, bytes, owner: to })
    } catch (error) {
      refused.push({ name, failure: failureOfFile(name, error) })
    }
  }
  try {
    await readForm(request, {
      field(name, value) {
        if (!types.includes(name)) throw unknownField(name, types)
        if (owner) throw tooLate(name)
        given[name] = value
      },
      async file(name, bytes) {
        const place = count++
        owner ??= findOwner(self, given)
        const to = owner
        await queue.add(async () => take(place, name, bytes, await to))
      },
    })
  } catch (error) {
    for (const row of files) if (row && !row.repeated) await self.service.remove(row.id)
    throw error
  }
  if (count === 0) throw new HttpFailure(400, 'invalid-input', 'The form has no file. Add a part with a file name.')
  return { files: files.filter((row) => row !== undefined), refused }
}

/** A file that is too large, or has no name, is refused by itself; everything else concerns the whole form. */
function failureOfFile(name: string, error: unknown): Failure {
  if (!(error instanceof RuntimeError)) throw error
  const { facts, message } = error
  if (facts['store'] === 'too-large') {
    return new HttpFailure(413, 'file-too-large', `The file ${name} was not taken: ${message}.`, { file: name }).failure
  }
  if (error.code !== 'invalid-input') throw error
  return failureOf(error)
}

function unknownField(name: string, types: readonly string[]): HttpFailure {
  const known = types.join(', ')
  return new HttpFailure(
    400,
    'invalid-input',
    `A form with files has no field ${JSON.stringify(name)}; it has ${known}.`,
  )
}

function tooLate(name: string): HttpFailure {
  const message = `The field ${name} has to stand before the files: nothing was kept. Or say it in the address: ?${name}=…`
  return new HttpFailure(400, 'invalid-input', message)
}

/** Who takes the parts of a form, in the order in which they come. */
interface FormReader {
  /** A part without a file name. */
  field(name: string, value: string): void
  /** A file. What it leaves unread is passed over. When it rejects, no further part is handed over. */
  file(name: string, bytes: AsyncIterable<Uint8Array>): Promise<void>
}

const limits = { fields: 10, fieldNameSize: 100, fieldSize: 1_000, files: 50, headerPairs: 50, headerSize: 16_384 }

/** Bytes that are still received where nobody reads them: many a client listens only when it has sent everything. */
const MOST_DROPPED = 64 * 1024 * 1024

/**
 * Reads a body that is `multipart/form-data`, holding no file in memory: bytes are taken from the connection as they are
 * read. Rejects with `HttpFailure` for another body, for one that breaks off and for too many parts, and with what the
 * reader rejects with; every `file` has come to its end by then.
 */
async function readForm(request: Request, reader: FormReader): Promise<void> {
  const type = request.headers.get('content-type') ?? ''
  if (!/^multipart\/form-data\s*;.*boundary=/i.test(type) || request.body === null) throw notAForm()
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
  parser.on('error', () => stop(brokenOff()))
  parser.on('filesLimit', () =>
    stop(badForm(`A form takes at most ${limits.files} files. Send the others in another.`)),
  )
  parser.on('fieldsLimit', () => stop(badForm(`A form takes at most ${limits.fields} fields.`)))
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
    const work = reader.file(nameIn(name ?? ''), bytesOf(stream)).catch(stop)
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
    stop(brokenOff())
  }
  await Promise.all(read)
  parser.destroy()
  if (failure) throw failure.reason
}

/** What cannot stand in a quoted name, as browsers and `fetch` write it (HTML, "multipart/form-data"). */
function nameIn(written: string): string {
  return written.replaceAll(/%(?:22|0D|0A)/gi, (code) => String.fromCharCode(Number.parseInt(code.slice(1), 16)))
}

/** The parser waits until a file is read, or passed over, to its end. */
async function* bytesOf(stream: Readable): AsyncGenerator<Uint8Array> {
  try {
    yield* stream.iterator({ destroyOnReturn: false }) as AsyncIterable<Uint8Array>
  } catch {
    throw brokenOff()
  }
}

function brokenOff(): HttpFailure {
  return badForm('The form breaks off, or is none. Nothing of it is kept: send it again.')
}

function notAForm(): HttpFailure {
  const message =
    'The body has to be a form with files: send it as "multipart/form-data", such as `curl -F file=@PATH`.'
  return new HttpFailure(415, 'unsupported-media-type', message)
}

function badForm(message: string): HttpFailure {
  return new HttpFailure(400, 'invalid-input', message)
}
