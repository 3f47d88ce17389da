import type { ServerResponse } from 'node:http'
import { brotliCompressSync, constants, deflateRawSync, deflateSync, gzipSync } from 'node:zlib'

/** What a hostile server may send to its client. */
export type Trick = keyof typeof tricks

export function play(trick: Trick, response: ServerResponse): void {
  tricks[trick](response)
}

/** Ten times the largest page, as a few thousand bytes. */
const zeros = Buffer.alloc(50_000_000)

const quickly = { params: { [constants.BROTLI_PARAM_QUALITY]: 1 } }

const tricks = {
  'no answer': () => {},
  'one byte and no more': (response: ServerResponse) => {
    response.writeHead(200, { 'content-type': 'text/plain' }).write('a')
  },
  'a byte now and then': (response: ServerResponse) => {
    response.writeHead(200, { 'content-type': 'text/plain' })
    const drip = setInterval(() => response.write('a'), 10)
    response.once('close', () => clearInterval(drip))
  },
  'hints without end': (response: ServerResponse) => {
    const hint = setInterval(() => response.writeProcessing(), 10)
    response.once('close', () => clearInterval(hint))
  },
  'no end': (response: ServerResponse) => {
    response.writeHead(200, { 'content-type': 'text/plain' })
    const more = () => {
      while (response.write('a'.repeat(100_000)));
    }
    response.on('drain', more)
    more()
  },
  'a length beyond the limit': (response: ServerResponse) => {
    response.writeHead(200, { 'content-type': 'text/plain', 'content-length': '50000000' }).flushHeaders()
  },
  'gzip bomb': (response: ServerResponse) => sendCoded(response, 'gzip', gzipSync(zeros)),
  'deflate bomb': (response: ServerResponse) => sendCoded(response, 'deflate', deflateSync(zeros)),
  'raw deflate bomb': (response: ServerResponse) => sendCoded(response, 'deflate', deflateRawSync(zeros)),
  'brotli bomb': (response: ServerResponse) => sendCoded(response, 'br', brotliCompressSync(zeros, quickly)),
  'gzip in gzip': (response: ServerResponse) => sendCoded(response, 'gzip, gzip', gzipSync(gzipSync(zeros))),
  'empty gzip without end': (response: ServerResponse) =>
    sendCoded(response, 'gzip', Buffer.concat(Array.from({ length: 300_000 }, () => emptyGzip))),
  'gzip that is none': (response: ServerResponse) => sendCoded(response, 'gzip', Buffer.from('not compressed')),
  'gzip cut short': (response: ServerResponse) => sendCoded(response, 'gzip', gzipSync('some text').subarray(0, 15)),
  'an unknown coding': (response: ServerResponse) => sendCoded(response, 'compress', Buffer.from('x')),
  'huge headers': (response: ServerResponse) => {
    response.writeHead(200, { 'content-type': 'text/plain', 'x-long': 'a'.repeat(100_000) }).end('text')
  },
  'many headers': (response: ServerResponse) => {
    for (let number = 0; number < 2000; number++) response.setHeader(`x-header-${number}`, 'some value')
    response.writeHead(200, { 'content-type': 'text/plain' }).end('text')
  },
  'another protocol': (response: ServerResponse) => {
    response.socket?.end('HTTP/1.1 101 Switching Protocols\r\nconnection: upgrade\r\nupgrade: other\r\n\r\nhello')
  },
  'no http': (response: ServerResponse) => {
    response.socket?.end('220 mail.example ready\r\n')
  },
  'nothing at all': (response: ServerResponse) => {
    response.socket?.destroy()
  },
  'half a body': (response: ServerResponse) => {
    response.writeHead(200, { 'content-type': 'text/plain', 'content-length': '100' }).write('half')
    setImmediate(() => response.socket?.destroy())
  },
}

const emptyGzip = gzipSync('')

function sendCoded(response: ServerResponse, coding: string, body: Buffer): void {
  response.writeHead(200, { 'content-type': 'text/plain', 'content-encoding': coding }).end(body)
}
