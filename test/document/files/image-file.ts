/** The beginning of images of this size: as much as it takes to know the size. */
export const imageFiles: Readonly<Record<string, (width: number, height: number) => Buffer>> = {
  'image/png': (width, height) =>
    bytes('\x89PNG\r\n\x1a\n\0\0\0\rIHDR', big(width, 4), big(height, 4), '\x08\x02\0\0\0'),
  'image/gif': (width, height) => bytes('GIF89a', little(width, 2), little(height, 2), '\x80\0\0\0\0\0'),
  'image/bmp': (width, height) =>
    bytes('BM\x46\0\0\0\0\0\0\0\x36\0\0\0\x28\0\0\0', little(width, 4), little(-height, 4), '\x01\0\x18\0'),
  // A segment, filling, and a table before the frame, as cameras write them.
  'image/jpeg': (width, height) =>
    bytes('\xff\xd8\xff\xe0\0\x06Exif\xff\xff\xc4\0\x03\x01\xff\xc2\0\x11\x08', big(height, 2), big(width, 2), '\x03'),
  'image/webp': (width, height) =>
    bytes('RIFF\x24\0\0\0WEBPVP8 \x18\0\0\0\0\0\0\x9d\x01\x2a', little(width, 2), little(height, 2), '\0\0'),
  'image/avif': (width, height) =>
    bytes(
      '\0\0\0\x18ftypavif\0\0\0\0',
      '\0\0\0\x14ispe\0\0\0\0',
      big(1, 4),
      big(1, 4),
      '\0\0\0\x14ispe\0\0\0\0',
      big(width, 4),
      big(height, 4),
    ),
}

export const webpForms = {
  lossless: (width: number, height: number) =>
    bytes('RIFF\x24\0\0\0WEBPVP8L\x18\0\0\0\x2f', little((width - 1) | ((height - 1) << 14), 4)),
  extended: (width: number, height: number) =>
    bytes('RIFF\x24\0\0\0WEBPVP8X\x0a\0\0\0\0\0\0\0', little(width - 1, 3), little(height - 1, 3)),
}

function bytes(...parts: readonly (string | Buffer)[]): Buffer {
  return Buffer.concat(parts.map((part) => (typeof part === 'string' ? Buffer.from(part, 'latin1') : part)))
}

function big(value: number, length: number): Buffer {
  const buffer = Buffer.alloc(length)
  buffer.writeUIntBE(value, 0, length)
  return buffer
}

function little(value: number, length: number): Buffer {
  const buffer = Buffer.alloc(4)
  buffer.writeInt32LE(value | 0)
  return buffer.subarray(0, length)
}
