import assert from 'node:assert/strict'
import { createHash, createHmac } from 'node:crypto'
import { once } from 'node:events'
import { createServer, type IncomingMessage } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { TestContext } from 'node:test'
import type { ObjectPlace } from '../../src/session/postgres/client.ts'

const ACCESS_KEY = 'the-key-of-a-team'
const SECRET_KEY = 'never-in-a-request'
/** How many names one page of a list has. */
const PAGE = 2

/** A bucket that takes only what is signed with its key (Signature Version 4, over the whole request with its body), and keeps files in memory. */
export async function scriptedBucket(t: TestContext) {
  const objects = new Map<string, Buffer>()
  const uploads = new Map<string, Map<number, Buffer>>()
  const asked: string[] = []
  /** Refuses so many of the next requests with 503. */
  const busy = { times: 0 }

  const server = createServer((incoming, outgoing) => {
    void bytesOf(incoming).then((body) => {
      const { pathname, searchParams } = new URL(incoming.url!, 'http://bucket')
      asked.push(`${incoming.method} ${pathname}`)
      const answer = (status: number, text: string | Buffer = '', headers = {}) => {
        outgoing.writeHead(status, headers)
        outgoing.end(text)
      }
      const refuse = (status: number, code: string) =>
        answer(status, `<Error><Code>${code}</Code><Message>It is refused.</Message></Error>`)
      if (busy.times > 0) {
        busy.times -= 1
        return refuse(503, 'SlowDown')
      }
      if (!isSigned(incoming)) return refuse(403, 'SignatureDoesNotMatch')
      if (createHash('sha256').update(body).digest('hex') !== incoming.headers['x-amz-content-sha256'])
        return refuse(400, 'XAmzContentSHA256Mismatch')
      if (!pathname.startsWith('/team')) return refuse(404, 'NoSuchBucket')
      const key = decodeURIComponent(pathname.slice('/team/'.length))
      const id = searchParams.get('uploadId')
      switch (incoming.method) {
        case 'POST':
          if (id === null) {
            const made = `upload-${uploads.size}&`
            uploads.set(made, new Map())
            return answer(200, `<R><UploadId>${made.replace('&', '&amp;')}</UploadId></R>`)
          }
          if (!body.toString().includes('<ETag>"1"</ETag>'))
            return answer(200, '<Error><Code>InvalidPart</Code></Error>')
          objects.set(key, Buffer.concat([...uploads.get(id)!.values()]))
          uploads.delete(id)
          return answer(200, '<R/>')
        case 'PUT': {
          const part = searchParams.get('partNumber')
          if (part === null) objects.set(key, body)
          else uploads.get(id!)!.set(Number(part), body)
          return answer(200, '', { etag: `"${part ?? 'whole'}"` })
        }
        case 'DELETE':
          if (id === null) objects.delete(key)
          else uploads.delete(id)
          return answer(204)
        default: {
          if (!searchParams.has('list-type')) {
            const found = objects.get(key)
            return found === undefined ? refuse(404, 'NoSuchKey') : answer(200, found)
          }
          const names = [...objects.keys()].filter((name) => name.startsWith(searchParams.get('prefix')!)).toSorted()
          const after = Number(searchParams.get('continuation-token') ?? 0)
          const size = Number(searchParams.get('max-keys') ?? PAGE)
          const page = names.slice(after, after + size).map((name) => `<Contents><Key>${name}</Key></Contents>`)
          const more =
            after + size < names.length ? `<NextContinuationToken>${after + size}</NextContinuationToken>` : ''
          return answer(200, `<R>${page.join('')}${more}</R>`)
        }
      }
    }, assert.ifError)
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  t.after(() => {
    server.close()
    server.closeAllConnections()
  })
  const { port } = server.address() as AddressInfo
  const place: ObjectPlace = {
    address: `http://127.0.0.1:${port}/team/of-foreword`,
    region: 'eu-central-1',
    accessKey: ACCESS_KEY,
    secretKey: SECRET_KEY,
  }
  return { place, objects, uploads, asked, busy }
}

async function bytesOf(incoming: IncomingMessage): Promise<Buffer> {
  const pieces: Buffer[] = []
  for await (const piece of incoming) pieces.push(piece as Buffer)
  return Buffer.concat(pieces)
}

/** Whether a request has the signature that its key gives: "Authenticating Requests: Using the Authorization Header" of Amazon S3. */
export function isSigned({ method, url, headers }: Pick<IncomingMessage, 'method' | 'url' | 'headers'>): boolean {
  const [, key, scope, names, signature] =
    /^AWS4-HMAC-SHA256 Credential=([^/]+)\/([^,]+), ?SignedHeaders=([^,]+), ?Signature=(\w+)$/.exec(
      headers.authorization ?? '',
    ) ?? []
  if (key !== ACCESS_KEY || !names!.split(';').includes('host')) return false
  const { pathname, searchParams } = new URL(url!, 'http://bucket')
  const encode = (text: string) =>
    encodeURIComponent(text).replaceAll(/[!'()*]/g, (one) => `%${one.charCodeAt(0).toString(16).toUpperCase()}`)
  const query = [...searchParams].map(([name, value]) => `${encode(name)}=${encode(value)}`).toSorted()
  const signed = names!.split(';').map((name) => `${name}:${String(headers[name]).trim()}\n`)
  const request = [method, pathname, query.join('&'), signed.join(''), names, headers['x-amz-content-sha256']].join(
    '\n',
  )
  const text = [
    'AWS4-HMAC-SHA256',
    headers['x-amz-date'],
    scope,
    createHash('sha256').update(request).digest('hex'),
  ].join('\n')
  const hmac = (secret: string | Buffer, value: string) => createHmac('sha256', secret).update(value).digest()
  const secret = scope!.split('/').reduce<string | Buffer>(hmac, `AWS4${SECRET_KEY}`)
  return hmac(secret, text).toString('hex') === signature
}
