import { crc32, deflateRawSync } from 'node:zlib'

export interface ZipPart {
  readonly name: string
  readonly content: string | Uint8Array
  /** Packed with deflate unless this says that it is not. */
  readonly stored?: boolean
  /** What the list declares where it lies: bytes of the unpacked part. */
  readonly declared?: number
  readonly flags?: number
}

/** A zip file of these parts, with the list at its end. */
export function zipFile(parts: readonly ZipPart[]): Buffer {
  const contents: Buffer[] = []
  const list: Buffer[] = []
  let at = 0
  for (const part of parts) {
    const content = Buffer.from(part.content)
    const packed = part.stored ? content : deflateRawSync(content)
    const facts = Buffer.alloc(26)
    facts.writeUInt16LE(20, 0)
    facts.writeUInt16LE(part.flags ?? 0, 2)
    facts.writeUInt16LE(part.stored ? 0 : 8, 4)
    facts.writeUInt32LE(crc32(content), 10)
    facts.writeUInt32LE(packed.length, 14)
    facts.writeUInt32LE(part.declared ?? content.length, 18)
    facts.writeUInt16LE(Buffer.byteLength(part.name), 22)
    const header = Buffer.concat([Buffer.from('PK\x03\x04'), facts, Buffer.from(part.name), packed])
    const place = Buffer.alloc(14)
    place.writeUInt32LE(at, 10)
    list.push(Buffer.concat([Buffer.from('PK\x01\x02\x14\0'), facts, place, Buffer.from(part.name)]))
    contents.push(header)
    at += header.length
  }
  const listed = Buffer.concat(list)
  const end = Buffer.alloc(22)
  end.write('PK\x05\x06', 'latin1')
  end.writeUInt16LE(parts.length, 8)
  end.writeUInt16LE(parts.length, 10)
  end.writeUInt32LE(listed.length, 12)
  end.writeUInt32LE(at, 16)
  return Buffer.concat([...contents, listed, end])
}
