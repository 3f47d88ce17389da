import { randomUUID } from 'node:crypto'

/** A body of a request that holds one file, and the header that goes with it. */
export interface FormBody {
  readonly type: string
  readonly body: ReadableStream<Uint8Array>
}

/** A form with one file, whose bytes are read as they are sent. `onSent` is told how many have gone. */
export function formBody(name: string, bytes: AsyncIterable<Uint8Array>, onSent: (sent: number) => void): FormBody {
  const boundary = `foreword-${randomUUID()}`
  // A reader of forms takes a name with a line break for none, and the file for a field.
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
