import { promisify } from 'node:util'
import {
  brotliDecompress,
  createBrotliDecompress,
  createGunzip,
  createInflate,
  createZstdDecompress,
  gunzip,
  inflate,
  zstdDecompress,
} from 'node:zlib'
import type { Transform } from 'node:stream'

/** The most that a body may grow to when its encoding is undone, bytes. */
const LARGEST = 512 * 1024 * 1024

const decoders = {
  gzip: promisify(gunzip),
  'x-gzip': promisify(gunzip),
  deflate: promisify(inflate),
  br: promisify(brotliDecompress),
  zstd: promisify(zstdDecompress),
} as const

/** Undoes the encoding of a body. Rejects where it is unknown or not what it says. */
export async function decodeBody(body: Uint8Array, encoding: string | undefined): Promise<Uint8Array> {
  let bytes = body
  for (const name of encodingsOf(encoding)) {
    const decode = Object.hasOwn(decoders, name) ? decoders[name as keyof typeof decoders] : undefined
    if (!decode) throw new Error(`the encoding ${JSON.stringify(name)} is not known`)
    bytes = await decode(bytes, { maxOutputLength: LARGEST })
  }
  return bytes
}

/** A stream that undoes the encoding of an answer as it comes; `undefined` where it has none. Throws for an unknown one. */
export function decodingStream(encoding: string | undefined): Transform | undefined {
  const [name, ...more] = encodingsOf(encoding)
  if (name === undefined) return undefined
  const create = more.length === 0 && Object.hasOwn(streams, name) ? streams[name as keyof typeof streams] : undefined
  if (!create) throw new Error(`the encoding ${JSON.stringify(encoding)} is not known`)
  return create()
}

const streams = {
  gzip: createGunzip,
  'x-gzip': createGunzip,
  deflate: createInflate,
  br: createBrotliDecompress,
  zstd: createZstdDecompress,
} as const

/** The encodings, the last one that was applied first. */
function encodingsOf(encoding = ''): readonly string[] {
  return encoding
    .split(',')
    .map((name) => name.trim().toLowerCase())
    .filter((name) => name !== '' && name !== 'identity')
    .toReversed()
}
