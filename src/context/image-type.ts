import { startsWith } from './starts-with.ts'

/** The media type of an image that models take, by its first bytes. */
export function imageType(bytes: Uint8Array): string | undefined {
  if (startsWith(bytes, '\x89PNG\r\n\x1a\n')) return 'image/png'
  if (startsWith(bytes, '\xff\xd8\xff')) return 'image/jpeg'
  if (startsWith(bytes, 'GIF87a') || startsWith(bytes, 'GIF89a')) return 'image/gif'
  if (startsWith(bytes, 'RIFF') && startsWith(bytes, 'WEBP', 8)) return 'image/webp'
  if (startsWith(bytes, 'ftypavif', 4) || startsWith(bytes, 'ftypavis', 4)) return 'image/avif'
  if (startsWith(bytes, 'BM') && startsWith(bytes, '\0\0\0\0', 6)) return 'image/bmp'
  return undefined
}
