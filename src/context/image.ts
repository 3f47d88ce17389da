interface ImageSize {
  readonly width: number
  readonly height: number
}

/** Width and height in pixels, read from the header; `undefined` where it is broken or implausible. */
export function imageSize(bytes: Uint8Array, mediaType: string): ImageSize | undefined {
  try {
    const size = readers[mediaType]?.(bytes, new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength))
    return size && size.width > 0 && size.height > 0 ? size : undefined
  } catch (error) {
    // The header ends before the size does.
    if (error instanceof RangeError) return undefined
    throw error
  }
}

type SizeReader = (bytes: Uint8Array, view: DataView) => ImageSize | undefined

const readers: Readonly<Record<string, SizeReader>> = {
  'image/png': (bytes, view) =>
    startsWith(bytes, 'IHDR', 12) ? { width: view.getUint32(16), height: view.getUint32(20) } : undefined,
  'image/gif': (_, view) => ({ width: view.getUint16(6, true), height: view.getUint16(8, true) }),
  'image/bmp': bitmapSize,
  'image/jpeg': jpegSize,
  'image/webp': webpSize,
  'image/avif': avifSize,
}

/** A height below nothing means that the rows come from the top. */
function bitmapSize(_: Uint8Array, view: DataView): ImageSize {
  if (view.getUint32(14, true) === 12) return { width: view.getUint16(18, true), height: view.getUint16(20, true) }
  return { width: view.getInt32(18, true), height: Math.abs(view.getInt32(22, true)) }
}

/** Goes from segment to segment until the one that begins a frame (C0 to CF without C4, C8 and CC). */
function jpegSize(_: Uint8Array, view: DataView): ImageSize | undefined {
  for (let at = 2; view.getUint8(at) === 0xff;) {
    const marker = view.getUint8(at + 1)
    const isFrame = marker >= 0xc0 && marker <= 0xcf && marker !== 0xc4 && marker !== 0xc8 && marker !== 0xcc
    if (isFrame) return { height: view.getUint16(at + 5), width: view.getUint16(at + 7) }
    // FF fills up, and the others have no length.
    if (marker === 0xff) at += 1
    else if (marker === 0x01 || (marker >= 0xd0 && marker <= 0xd8)) at += 2
    else at += 2 + Math.max(view.getUint16(at + 2), 2)
  }
  return undefined
}

/** Three forms: lossy (VP8), lossless (VP8L), and with more around it (VP8X). */
function webpSize(bytes: Uint8Array, view: DataView): ImageSize | undefined {
  if (startsWith(bytes, 'VP8X', 12)) return { width: 1 + threeBytes(view, 24), height: 1 + threeBytes(view, 27) }
  if (startsWith(bytes, 'VP8L', 12) && view.getUint8(20) === 0x2f) {
    const bits = view.getUint32(21, true)
    return { width: 1 + (bits & 0x3fff), height: 1 + ((bits >>> 14) & 0x3fff) }
  }
  if (startsWith(bytes, 'VP8 ', 12) && startsWith(bytes, '\x9d\x01\x2a', 23)) {
    return { width: view.getUint16(26, true) & 0x3fff, height: view.getUint16(28, true) & 0x3fff }
  }
  return undefined
}

function threeBytes(view: DataView, at: number): number {
  return view.getUint16(at, true) + view.getUint8(at + 2) * 65_536
}

const FIRST_OF_ISPE = 'i'.charCodeAt(0)

/** The largest `ispe` box: an image may contain a thumbnail and layers of its own. */
function avifSize(bytes: Uint8Array, view: DataView): ImageSize | undefined {
  const end = Math.min(bytes.byteLength, 65_536)
  let largest: ImageSize | undefined
  for (let at = bytes.indexOf(FIRST_OF_ISPE); at !== -1 && at < end; at = bytes.indexOf(FIRST_OF_ISPE, at + 1)) {
    if (!startsWith(bytes, 'ispe', at)) continue
    const size = { width: view.getUint32(at + 8), height: view.getUint32(at + 12) }
    if (largest === undefined || size.width * size.height > largest.width * largest.height) largest = size
  }
  return largest
}

/** The media type of an image of a kind that models accept, by its first bytes. */
export function imageType(bytes: Uint8Array): string | undefined {
  if (startsWith(bytes, '\x89PNG\r\n\x1a\n')) return 'image/png'
  if (startsWith(bytes, '\xff\xd8\xff')) return 'image/jpeg'
  if (startsWith(bytes, 'GIF87a') || startsWith(bytes, 'GIF89a')) return 'image/gif'
  if (startsWith(bytes, 'RIFF') && startsWith(bytes, 'WEBP', 8)) return 'image/webp'
  if (startsWith(bytes, 'ftypavif', 4) || startsWith(bytes, 'ftypavis', 4)) return 'image/avif'
  if (startsWith(bytes, 'BM') && startsWith(bytes, '\0\0\0\0', 6)) return 'image/bmp'
  return undefined
}

const LONG_SIDE = 2048
const PATCH = 16
const OVERHEAD = 32

/** The cost of an image whose size is not known: that of 768 × 768 pixels. */
export const UNKNOWN_IMAGE_TOKENS = (768 / PATCH) ** 2 + OVERHEAD

/**
 * Tokens of an image of `width` × `height` pixels: scaled down to at most 2,048 on the long side, one token per
 * 16 × 16 patch begun, and 32 (BEHAVIOURS §3.4).
 */
export function imageTokens(width: number, height: number): number {
  if (!(width > 0 && height > 0)) return UNKNOWN_IMAGE_TOKENS
  const scale = Math.min(1, LONG_SIDE / Math.max(width, height))
  return Math.ceil((width * scale) / PATCH) * Math.ceil((height * scale) / PATCH) + OVERHEAD
}

/** Whether the bytes at `at` are the Latin-1 characters of `latin`. */
export function startsWith(bytes: Uint8Array, latin: string, at = 0): boolean {
  if (bytes.length < at + latin.length) return false
  for (let index = 0; index < latin.length; index += 1) {
    if (bytes[at + index] !== latin.charCodeAt(index)) return false
  }
  return true
}
