import { once } from 'node:events'
import { type Readable } from 'node:stream'
import { HttpFailure } from '../../../server.ts'

/** Who takes the parts of a form, in the order in which they come. */
export interface FormReader {
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
export async function readForm(request: Request, reader: FormReader): Promise<void> {
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
