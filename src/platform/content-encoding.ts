import {
  constants,
  createBrotliDecompress,
  createGunzip,
  createInflate,
  createInflateRaw,
  createZstdDecompress,
} from 'node:zlib'
import type { Transform } from 'node:stream'

/** Where a body of a known size is put together. */
interface BodyMemory {
  push(part: Uint8Array): void
  end(): Uint8Array
}

export type DecodedBody = { readonly body: Uint8Array } | { readonly fault: 'unknown' | 'damaged' | 'too-large' }

interface DecodeOptions {
  /** A body that becomes larger is not unpacked to its end, bytes. */
  readonly most: number
  /** The memory for so many bytes, once there is room for them. */
  receive?(bytes: number): BodyMemory | Promise<BodyMemory>
  /** Runs work that needs the memory of a decoder, some megabytes, once it is its turn. */
  inTurn?<Result>(work: () => Promise<Result>): Promise<Result>
}

/** Undoes the encoding of a body. It is unpacked twice, so that room is found for it before any of it is kept. */
export async function decodeBody(
  packed: Uint8Array,
  encoding: string | undefined,
  { most, receive = memoryFor, inTurn = (work) => work() }: DecodeOptions,
): Promise<DecodedBody> {
  const name = encodingName(encoding)
  if (name === undefined || packed.byteLength === 0) return { body: packed }
  const create = findDecoder(name, packed)
  if (!create) return { fault: 'unknown' }
  let bytes = 0
  const isWhole = await inTurn(() => unpack(create(), packed, (part) => (bytes += part.byteLength) <= most))
  if (bytes > most) return { fault: 'too-large' }
  if (!isWhole) return { fault: 'damaged' }
  const memory = await receive(bytes)
  await inTurn(() => unpack(create(), packed, (part) => (memory.push(part), true)))
  return { body: memory.end() }
}

/** Hands on part after part until one is refused. `false`: the body is damaged. */
async function unpack(decoder: Transform, packed: Uint8Array, accepts: (part: Buffer) => boolean): Promise<boolean> {
  decoder.end(packed)
  try {
    for await (const part of decoder) if (!accepts(part as Buffer)) break
    return true
  } catch {
    return false
  }
}

function memoryFor(bytes: number): BodyMemory {
  const whole = Buffer.allocUnsafeSlow(bytes)
  let at = 0
  return {
    push(part) {
      whole.set(part, at)
      at += part.byteLength
    },
    end: () => whole,
  }
}

/** A stream that undoes the encoding of an answer as it comes; `undefined` where it has none. Throws for an unknown one. */
export function decodingStream(encoding: string | undefined): Transform | undefined {
  const name = encodingName(encoding)
  if (name === undefined) return undefined
  const create = findDecoder(name)
  if (!create) throw new Error(`the encoding ${JSON.stringify(encoding)} is not known`)
  return create()
}

const chunkSize = 64 * 1024
/** Decoders of HTTP keep 8 MiB of what they wrote (RFC 9659); zstd alone would let a body ask for 128. */
const windowOfZstd = { [constants.ZSTD_d_windowLogMax]: 23 }

const decoders: Readonly<Record<string, () => Transform>> = {
  gzip: () => createGunzip({ chunkSize }),
  'x-gzip': () => createGunzip({ chunkSize }),
  deflate: () => createInflate({ chunkSize }),
  br: () => createBrotliDecompress({ chunkSize }),
  zstd: () => createZstdDecompress({ chunkSize, params: windowOfZstd }),
}

/** Two encodings on top of each other are unknown: only bombs need them. */
function findDecoder(name: string, packed?: Uint8Array): (() => Transform) | undefined {
  // Some send it without its header.
  if (name === 'deflate' && packed && (packed[0]! & 0x0f) !== 8) return () => createInflateRaw({ chunkSize })
  return Object.hasOwn(decoders, name) ? decoders[name] : undefined
}

function encodingName(encoding = ''): string | undefined {
  const names = encoding.split(',').map((name) => name.trim().toLowerCase())
  return names.filter((name) => name !== '' && name !== 'identity').join(', ') || undefined
}
