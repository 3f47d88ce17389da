import { type IncomingHttpHeaders, type IncomingMessage, request } from 'node:http'
import type { Socket } from 'node:net'
import { deadline } from './deadline.ts'
import { FetchFault } from './fetch-fault.ts'

/** What is asked. */
export interface Asked {
  readonly url: URL
  readonly method: 'GET' | 'POST'
  readonly headers: Readonly<Record<string, string>>
  readonly body?: string
}

/** What was answered, its body still to be read. */
export interface Answer {
  readonly status: number
  readonly headers: IncomingHttpHeaders
  readonly body: IncomingMessage
  /** Ends the connection, read or not. */
  close(): void
}

/** The most of an answer's headers, bytes. */
const LARGEST_HEADERS = 16 * 1024

/** One request over a connection of its own. `firstByteMs`: how long the head of the answer may take, ms. */
export async function exchange(
  asked: Asked,
  socket: Socket,
  firstByteMs: number,
  signal: AbortSignal,
): Promise<Answer> {
  const limit = deadline(signal, firstByteMs, 'no answer began')
  try {
    const body = await limit.within(send(asked, socket))
    // A break in the middle is told by whoever reads the body.
    body.on('error', () => {})
    return { status: body.statusCode ?? 0, headers: body.headers, body, close: () => socket.destroy() }
  } catch (error) {
    socket.destroy()
    throw exchangeFault(error)
  } finally {
    limit.done()
  }
}

function send({ url, method, headers, body }: Asked, socket: Socket): Promise<IncomingMessage> {
  return new Promise((resolve, reject) => {
    const sent = request({
      method,
      path: `${url.pathname}${url.search}`,
      headers: {
        host: url.host,
        ...headers,
        connection: 'close',
        ...(body !== undefined && { 'content-length': String(Buffer.byteLength(body)) }),
      },
      setHost: false,
      maxHeaderSize: LARGEST_HEADERS,
      insecureHTTPParser: false,
      createConnection: () => socket,
    })
    sent.once('response', resolve)
    sent.on('error', reject)
    sent.once('upgrade', () => reject(new FetchFault('broken', 'it wants to speak another protocol')))
    sent.once('close', () => reject(new FetchFault('broken', 'the connection was closed without an answer')))
    sent.end(body)
  })
}

function exchangeFault(error: unknown): FetchFault {
  if (error instanceof FetchFault) return error
  const { code } = error as NodeJS.ErrnoException
  if (code === 'HPE_HEADER_OVERFLOW') {
    return new FetchFault('too-large', `its headers are longer than ${LARGEST_HEADERS.toLocaleString('en-US')} bytes`)
  }
  const what = code?.startsWith('HPE_') === true ? 'its answer is not HTTP' : 'the connection broke off'
  return new FetchFault('broken', code === undefined ? what : `${what} (${code})`, { cause: error })
}
