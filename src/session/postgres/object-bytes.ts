import type { AwsClient } from 'aws4fetch'
import { type Clock, errorMessage, sha256 } from '../../platform.ts'
import type { StoredBytes } from '../content.ts'
import { StoreError } from '../store-error.ts'
import type { ObjectPlace } from './client.ts'
import { inPieces } from './stored-bytes.ts'

/** Bytes of one request. S3 wants five MiB at least in each part of a file but the last, and ten thousand parts at most. */
const PART_BYTES = 8 * 1024 * 1024
/** How long the service may need until its answer begins, ms. */
const ANSWER_MS = 60_000
/** How often a request is sent again that the service could not answer, or had no time for. */
const RETRIES = 3
const HASH_KEY = /<Key>([^<]*?([0-9a-f]{64}))<\/Key>/g

/** The bytes of files as objects below `folder` of a place, each under its SHA-256. Nothing is asked before it is needed. */
export function openObjectBytes(
  place: ObjectPlace,
  folder: string,
  clock: Clock,
): StoredBytes & { examine(): Promise<void> } {
  const { origin, pathname } = new URL(place.address)
  const [bucket = '', ...prefix] = pathname.split('/').filter((part) => part !== '')
  const keyOf = (hash: string) => [...prefix, folder, hash].join('/')
  const addressOf = (hash: string) => `${origin}/${bucket}/${keyOf(hash)}`
  const listAddress = (more: string) => `${origin}/${bucket}?list-type=2&prefix=${encodeURIComponent(keyOf(''))}${more}`
  let client: AwsClient | undefined

  async function signed(): Promise<AwsClient> {
    if (client) return client
    const { AwsClient } = await import('aws4fetch')
    const { accessKey: accessKeyId, secretKey: secretAccessKey, sessionToken, region } = place
    const token = sessionToken === undefined ? {} : { sessionToken }
    client = new AwsClient({ accessKeyId, secretAccessKey, ...token, region, service: 's3', retries: RETRIES })
    return client
  }

  /** @throws StoreError `io`, with what the service answered. */
  async function ask(method: string, address: string, body?: Uint8Array<ArrayBuffer> | string): Promise<Response> {
    const ending = new AbortController()
    const stop = clock.timer(ANSWER_MS, () => ending.abort(new Error(`no answer came within ${ANSWER_MS / 1_000} s`)))
    try {
      // What arrives otherwise than it was sent is refused, also without TLS.
      const headers = { 'x-amz-content-sha256': sha256(body ?? '') }
      const sent = body === undefined ? {} : { body }
      const init = { method, headers, redirect: 'error', signal: ending.signal, ...sent } as const
      const answer = await (await signed()).fetch(address, init)
      if (answer.ok) return answer
      const text = await answer.text().catch(() => '')
      // A file that is not there is no fault; a bucket is.
      const isMissing = answer.status === 404 && (text === '' || text.includes('<Code>NoSuchKey<'))
      if (isMissing && body === undefined && method !== 'POST') return answer
      throw new Error(refusalText(answer.status, text))
    } catch (error) {
      throw fault(error)
    } finally {
      stop()
    }
  }

  function fault(error: unknown): StoreError {
    const cause = error instanceof Error && error.cause !== undefined ? error.cause : error
    const hint = 'Check `store.files` in config.json and its two keys. `foreword doctor` tries them.'
    return new StoreError('io', `Cannot use the bucket ${origin}/${bucket}: ${errorMessage(cause)}.`, { hint, cause })
  }

  async function textOf(answer: Response): Promise<string> {
    const text = await answer.text()
    // A file in parts is refused with 200.
    if (text.includes('<Error>')) throw fault(new Error(refusalText(answer.status, text)))
    return text
  }

  async function putInParts(hash: string, parts: AsyncIterable<Uint8Array<ArrayBuffer>>): Promise<void> {
    const address = addressOf(hash)
    const upload = field(await textOf(await ask('POST', `${address}?uploads`)), 'UploadId')
    if (upload === undefined) throw fault(new Error('it takes no file in parts'))
    const id = `uploadId=${encodeURIComponent(upload)}`
    try {
      const tags: string[] = []
      for await (const part of parts) {
        const answer = await ask('PUT', `${address}?partNumber=${tags.length + 1}&${id}`, part)
        tags.push(answer.headers.get('etag') ?? '')
      }
      const list = tags.map((tag, at) => `<Part><PartNumber>${at + 1}</PartNumber><ETag>${tag}</ETag></Part>`)
      const whole = `<CompleteMultipartUpload>${list.join('')}</CompleteMultipartUpload>`
      await textOf(await ask('POST', `${address}?${id}`, whole))
    } catch (error) {
      await ask('DELETE', `${address}?${id}`).catch(() => {})
      throw error
    }
  }

  return {
    async put(hash, bytes) {
      const parts = inPieces(bytes, PART_BYTES)
      const [first, second] = [await parts.next(), await parts.next()]
      if (second.done) await ask('PUT', addressOf(hash), first.value as Uint8Array<ArrayBuffer>)
      else await putInParts(hash, chain([first.value as Uint8Array<ArrayBuffer>, second.value], parts))
    },
    async *read(hash) {
      const answer = await ask('GET', addressOf(hash))
      if (!answer.ok) return
      let isEmpty = true
      for await (const piece of answer.body ?? []) {
        isEmpty = false
        yield piece
      }
      if (isEmpty) yield new Uint8Array()
    },
    async remove(hash) {
      await (await ask('DELETE', addressOf(hash))).body?.cancel()
    },
    /** Looks whether it can be used. @throws StoreError `io` */
    examine: async () => void (await textOf(await ask('GET', listAddress('&max-keys=1')))),
    async hashes() {
      const found = new Set<string>()
      let after = ''
      do {
        const text = await textOf(await ask('GET', listAddress(after)))
        for (const [, key, hash] of text.matchAll(HASH_KEY)) if (key === keyOf(hash!)) found.add(hash!)
        const next = field(text, 'NextContinuationToken')
        after = next === undefined ? '' : `&continuation-token=${encodeURIComponent(next)}`
      } while (after !== '')
      return found
    },
  }
}

/** A text in an answer, which is XML. */
function field(text: string, name: string): string | undefined {
  const found = new RegExp(`<${name}>([^<]+)<`).exec(text)?.[1]
  return found?.replaceAll(/&(amp|lt|gt|quot|apos|#34|#39);/g, (whole, entity: string) => ENTITIES[entity] ?? whole)
}

const ENTITIES: Readonly<Record<string, string>> = {
  amp: '&',
  lt: '<',
  gt: '>',
  quot: '"',
  apos: "'",
  '#34': '"',
  '#39': "'",
}

function refusalText(status: number, text: string): string {
  const [code, message] = [field(text, 'Code'), field(text, 'Message')]
  const what = [code, message].filter((each) => each !== undefined).join(': ')
  return `it answered ${status}${what === '' ? '' : ` (${what.replace(/\.$/, '')})`}`
}

async function* chain<Value>(first: readonly Value[], rest: AsyncIterable<Value>): AsyncGenerator<Value> {
  yield* first
  yield* rest
}
