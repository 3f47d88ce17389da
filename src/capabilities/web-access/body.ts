import { promisify } from 'node:util'
import { brotliDecompress, gunzip, inflate, inflateRaw } from 'node:zlib'
import type { GuardedResponse } from './guarded-request.ts'
import { FetchFault } from './fetch-fault.ts'

export const readableCodings = 'gzip, deflate, br'

/**
 * At most `maxBytes`, packed and unpacked. A body that would grow beyond is not unpacked to its end. Throws a
 * `FetchFault`.
 */
export async function readBody({ headers, body }: GuardedResponse, maxBytes: number): Promise<Buffer> {
  if (Number(headers['content-length'] ?? 0) > maxBytes) throw tooLarge(maxBytes)
  const unpack = findUnpacker(headers['content-encoding'])
  const packed = await receiveBody(body, maxBytes)
  if (!unpack || packed.length === 0) return packed
  try {
    return await unpack(packed, maxBytes)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ERR_BUFFER_TOO_LARGE') throw tooLarge(maxBytes)
    throw new FetchFault('broken', 'its compressed content is damaged or breaks off', { cause: error })
  }
}

async function receiveBody(body: AsyncIterable<Buffer>, maxBytes: number): Promise<Buffer> {
  const chunks: Buffer[] = []
  let length = 0
  try {
    for await (const chunk of body) {
      length += chunk.length
      if (length > maxBytes) throw tooLarge(maxBytes)
      chunks.push(chunk)
    }
  } catch (error) {
    if (error instanceof FetchFault) throw error
    throw new FetchFault('broken', 'its answer breaks off', { cause: error })
  }
  return Buffer.concat(chunks, length)
}

type Unpack = (packed: Buffer, maxOutputLength: number) => Promise<Buffer>

/** Refuses two codings on top of each other: only decompression bombs need them. */
function findUnpacker(coding: string | undefined): Unpack | undefined {
  const name = coding?.trim().toLowerCase() ?? ''
  if (name === '' || name === 'identity') return undefined
  const unpack = Object.hasOwn(unpackers, name) ? unpackers[name] : undefined
  if (!unpack) throw new FetchFault('unsupported', 'its content is compressed in a way that is not read here')
  return unpack
}

const inGzip = promisify(gunzip)
const inDeflate = promisify(inflate)
const inRawDeflate = promisify(inflateRaw)
const inBrotli = promisify(brotliDecompress)

const gzip: Unpack = (packed, maxOutputLength) => inGzip(packed, { maxOutputLength })

const unpackers: Readonly<Record<string, Unpack>> = {
  gzip,
  'x-gzip': gzip,
  // Some servers send it without its header.
  deflate: (packed, maxOutputLength) =>
    (packed[0]! & 0x0f) === 8 ? inDeflate(packed, { maxOutputLength }) : inRawDeflate(packed, { maxOutputLength }),
  br: (packed, maxOutputLength) => inBrotli(packed, { maxOutputLength }),
}

function tooLarge(maxBytes: number): FetchFault {
  return new FetchFault('too-large', `it is larger than ${maxBytes.toLocaleString('en-US')} bytes`)
}
