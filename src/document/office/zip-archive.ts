import { crc32, inflateRawSync } from 'node:zlib'
import { numberText, startsWith } from '../../context.ts'
import { ReadingFault, type ReadingLimits, sizeInWords } from '../reading-limits.ts'

export type Archive = ReturnType<typeof openArchive>

interface Part {
  readonly name: string
  readonly encrypted: boolean
  readonly method: number
  readonly checksum: number
  readonly packed: number
  readonly unpacked: number
  /** Where its own header begins. */
  readonly start: number
}

const listEndSize = 22
const listEntrySize = 46
const headerSize = 30

/**
 * Reads the list at the end of a zip file. What the list declares is held against the limits first; then each part is
 * unpacked no further than it was declared, so a bomb is refused whether it is honest or lies. Throws a `ReadingFault`.
 */
export function openArchive(bytes: Uint8Array, limits: ReadingLimits) {
  const parts = listedParts(bytes, limits)
  const declared = parts.reduce((sum, { unpacked }) => sum + unpacked, 0)
  if (declared > limits.unpackedBytes) {
    const sizes = `${sizeInWords(declared)}; at most ${sizeInWords(limits.unpackedBytes)} are unpacked`
    throw new ReadingFault('too-large', `its parts have ${sizes}`)
  }
  const byName = new Map(parts.map((part) => [part.name, part]))
  /** The bytes of a part; `undefined` where there is none of that name. Throws a `ReadingFault` where they are broken. */
  const readEntry = (name: string): Uint8Array | undefined => {
    const part = byName.get(name)
    return part && unpackedBytes(bytes, part)
  }
  return {
    names: [...byName.keys()],
    readEntry,
    /** The same as text, which in office documents is UTF-8. */
    textOf(name: string): string | undefined {
      const unpacked = readEntry(name)
      return unpacked && new TextDecoder().decode(unpacked)
    },
  }
}

function listedParts(bytes: Uint8Array, limits: ReadingLimits): readonly Part[] {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  const end = listEnd(bytes)
  if (end === undefined) throw broken()
  const count = view.getUint16(end + 10, true)
  if (count > limits.parts) {
    throw new ReadingFault(
      'too-large',
      `it has ${numberText(count)} parts; at most ${numberText(limits.parts)} are read`,
    )
  }
  const parts: Part[] = []
  let at = view.getUint32(end + 16, true)
  for (let index = 0; index < count; index += 1) {
    if (at + listEntrySize > end || !startsWith(bytes, 'PK\x01\x02', at)) throw broken()
    const nameLength = view.getUint16(at + 28, true)
    const nameStart = at + listEntrySize
    parts.push({
      name: Buffer.from(bytes.subarray(nameStart, nameStart + nameLength))
        .toString('utf8')
        .replaceAll('\\', '/'),
      encrypted: (view.getUint16(at + 8, true) & 1) === 1,
      method: view.getUint16(at + 10, true),
      checksum: view.getUint32(at + 16, true),
      packed: view.getUint32(at + 20, true),
      unpacked: view.getUint32(at + 24, true),
      start: view.getUint32(at + 42, true),
    })
    at = nameStart + nameLength + view.getUint16(at + 30, true) + view.getUint16(at + 32, true)
  }
  return parts
}

/** The list's end is the last thing in the file but for a comment of up to 65,535 bytes. */
function listEnd(bytes: Uint8Array): number | undefined {
  const earliest = Math.max(0, bytes.length - listEndSize - 65_535)
  for (let at = bytes.length - listEndSize; at >= earliest; at -= 1) {
    if (bytes[at] === 0x50 && startsWith(bytes, 'PK\x05\x06', at)) return at
  }
  return undefined
}

function unpackedBytes(bytes: Uint8Array, part: Part): Uint8Array {
  if (part.encrypted) throw new ReadingFault('encrypted', 'the file is protected by a password; save it without one')
  const start = part.start
  if (start + headerSize > bytes.length || !startsWith(bytes, 'PK\x03\x04', start)) throw broken()
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  const content = start + headerSize + view.getUint16(start + 26, true) + view.getUint16(start + 28, true)
  if (content + part.packed > bytes.length) throw broken()
  const unpacked = inflated(bytes.subarray(content, content + part.packed), part)
  if (unpacked.length !== part.unpacked || crc32(unpacked) !== part.checksum) throw broken()
  return unpacked
}

function inflated(packed: Uint8Array, part: Part): Uint8Array {
  if (part.method === 0) return packed
  if (part.method !== 8)
    throw new ReadingFault('unsupported', 'its parts use a compression method that is not supported')
  try {
    return inflateRawSync(packed, { maxOutputLength: Math.max(part.unpacked, 1) })
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ERR_BUFFER_TOO_LARGE') throw broken()
    throw new ReadingFault(
      'too-large',
      `a part of it is larger than the ${sizeInWords(part.unpacked)} that it declares`,
    )
  }
}

function broken(): ReadingFault {
  return new ReadingFault('broken', 'the file is damaged or incomplete: its parts cannot be unpacked')
}
