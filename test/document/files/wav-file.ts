/** Silence of so many seconds: 8,000 samples of one byte each. */
export function wav(seconds: number): Buffer<ArrayBuffer> {
  const bytes = Buffer.alloc(44 + seconds * 8_000)
  bytes.write('RIFF')
  bytes.writeUInt32LE(bytes.length - 8, 4)
  bytes.write('WAVEfmt ', 8)
  for (const [at, value] of Object.entries({ 16: 16, 24: 8_000, 28: 8_000 })) bytes.writeUInt32LE(value, Number(at))
  bytes.write('data', 36)
  return bytes
}
