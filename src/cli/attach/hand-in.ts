import { exactLine } from '../../context.ts'
import { randomUUID } from 'node:crypto'
import { open, stat } from 'node:fs/promises'
import { basename } from 'node:path'
import type { GatewayConnection, Io } from '../../capability.ts'
import type { FileRow } from '../../session.ts'
import { requestJson, apiPath, readFailure } from '../answer.ts'
import { CommandFailure } from '../failure.ts'
import { fileFailure } from '../input-text.ts'
import { type StatusLine, statusLine } from '../status-line.ts'

export type UploadResult =
  | { readonly path: string; readonly row: FileRow & { readonly repeated?: true } }
  | { readonly path: string; readonly failure: CommandFailure }

/** How long one request waits for a file to be read, ms. The status line is updated in between. */
const WAIT = 1_000

/** Uploads files and waits until each is read. Calls `onDone` in the order of the paths; a failed file stops no other. */
export async function uploadFiles(
  connection: GatewayConnection,
  paths: readonly string[],
  belonging: UploadOwner,
  io: Io,
  onDone: (done: UploadResult) => void = () => {},
): Promise<readonly UploadResult[]> {
  const status = statusLine(io)
  try {
    const sent: UploadResult[] = []
    for (const [at, path] of paths.entries()) {
      const place = paths.length > 1 ? ` (${at + 1} of ${paths.length})` : ''
      sent.push(
        await send(connection, path, belonging, (part) => status.show(`${exactLine(path)}: sending${part}${place}`)),
      )
    }
    const done: UploadResult[] = []
    for (const each of sent) {
      const read =
        'row' in each ? { ...each, row: { ...each.row, ...(await waitUntilRead(connection, each.row, status)) } } : each
      status.clear()
      onDone(read)
      done.push(read)
    }
    return done
  } finally {
    status.clear()
  }
}

async function send(
  connection: GatewayConnection,
  path: string,
  belonging: UploadOwner,
  tell: (part: string) => void,
): Promise<UploadResult> {
  tell('')
  try {
    const row = await sendFile(connection, path, belonging, ({ bytes, of }) => {
      if (of > 0) tell(` ${Math.min(100, Math.floor((bytes / of) * 100))} %`)
    })
    return { path, row }
  } catch (error) {
    if (!(error instanceof CommandFailure)) throw error
    return { path, failure: error }
  }
}

async function waitUntilRead(connection: GatewayConnection, row: FileRow, status: StatusLine): Promise<FileRow> {
  let known = row
  for (const since = Date.now(); known.state.type === 'processing';) {
    const seconds = Math.floor((Date.now() - since) / 1000)
    status.show(`${exactLine(row.name)}: reading${seconds > 0 ? `, ${seconds} s` : ''}`)
    known = await requestJson<FileRow>(connection, apiPath('/api/files/', row.id, `?wait=${WAIT}`))
  }
  return known
}

/** The owner of uploaded files, such as a project, as query parameters. Empty: the message that they are attached to. */
export type UploadOwner = Readonly<Record<string, string>>

interface Sent {
  readonly bytes: number
  readonly of: number
}

/** Uploads one file. When this resolves, its bytes are on the disk of the gateway. */
async function sendFile(
  connection: GatewayConnection,
  path: string,
  belonging: UploadOwner,
  onSent: (sent: Sent) => void,
): Promise<FileRow & { readonly repeated?: true }> {
  const { size, handle } = await opened(path)
  try {
    const bytes = handle.readableWebStream({ autoClose: false }) as ReadableStream<Uint8Array>
    const { type, body } = formBody(basename(path), bytes, (sent) => onSent({ bytes: sent, of: size }))
    const request = { method: 'POST', headers: { 'content-type': type }, body, duplex: 'half' } as const
    const response = await connection.fetch(`/api/files?${new URLSearchParams(belonging).toString()}`, request)
    if (!response.ok) throw await readFailure(response)
    const { files } = (await response.json()) as { readonly files: readonly [FileRow & { readonly repeated?: true }] }
    return files[0]
  } catch (error) {
    if (error instanceof CommandFailure) throw error
    const why = error instanceof Error && error.cause instanceof Error ? error.cause.message : String(error)
    throw new CommandFailure('network', `Cannot upload ${path}: ${why}.`, {
      hint: 'Check that the gateway runs, then upload the file again.',
      cause: error,
    })
  } finally {
    await handle.close()
  }
}

/** Opens a regular file only: reading a pipe or a device might never end. */
async function opened(path: string) {
  try {
    const found = await stat(path)
    if (found.isFile()) return { handle: await open(path, 'r'), size: found.size }
    if (!found.isDirectory()) throw Object.assign(new Error('it is a pipe or a device'), { code: 'EINVAL' })
  } catch (error) {
    throw fileFailure(path, 'read', error)
  }
  throw fileFailure(path, 'read', Object.assign(new Error('it is a folder'), { code: 'EISDIR' }))
}

interface FormBody {
  readonly type: string
  readonly body: ReadableStream<Uint8Array>
}

/** A form with one file, whose bytes are read as they are sent. Calls `onSent` with the number of bytes sent so far. */
function formBody(name: string, bytes: AsyncIterable<Uint8Array>, onSent: (sent: number) => void): FormBody {
  const boundary = `foreword-${randomUUID()}`
  // A form parser ignores a name with a line break and treats the file as a field.
  const exact = encodeURIComponent(name.toWellFormed().replaceAll(/\p{Cc}/gu, ' ')).replaceAll(
    /['()*]/g,
    (sign) => `%${sign.charCodeAt(0).toString(16)}`,
  )
  const head = `--${boundary}\r\ncontent-disposition: form-data; name="file"; filename*=UTF-8''${exact}\r\n\r\n`
  async function* pieces(): AsyncGenerator<Uint8Array> {
    yield Buffer.from(head)
    let sent = 0
    for await (const piece of bytes) {
      yield piece
      sent += piece.byteLength
      onSent(sent)
    }
    yield Buffer.from(`\r\n--${boundary}--\r\n`)
  }
  return { type: `multipart/form-data; boundary=${boundary}`, body: ReadableStream.from(pieces()) }
}
