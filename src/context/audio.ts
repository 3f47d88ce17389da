import { startsWith } from './image.ts'

/** The media type of a recording of a kind that models accept, by its first bytes: WAV or MP3. */
export function audioType(bytes: Uint8Array): 'audio/wav' | 'audio/mpeg' | undefined {
  if (startsWith(bytes, 'RIFF') && startsWith(bytes, 'WAVE', 8)) return 'audio/wav'
  return startsWith(bytes, 'ID3') || (bytes.length >= 4 && mp3Rate(bytes, 0) !== undefined) ? 'audio/mpeg' : undefined
}

/** How long a recording of this many bytes plays, seconds, by its header: of `bytes` the beginning is enough. */
export function audioSeconds(bytes: Uint8Array, size = bytes.length): number | undefined {
  const type = audioType(bytes)
  const rate = type === 'audio/wav' ? wavRate(bytes) : type && mp3Rate(bytes, startOfMp3(bytes))
  return rate ? size / rate : undefined
}

/**
 * The most that a vendor counts for a second: Gemini 32 (https://ai.google.dev/gemini-api/docs/audio), OpenAI 10
 * (https://platform.openai.com/docs/guides/realtime-costs).
 */
const TOKENS_PER_SECOND = 32

/** Assumed where a recording does not say how long it is: 128 kbit a second. */
const BYTES_PER_SECOND = 16_000

/** Tokens of a recording, by its length or by its size in bytes. What is behind an address counts as a minute. */
export function audioTokens(seconds: number | undefined, size = 60 * BYTES_PER_SECOND): number {
  return Math.ceil((seconds ?? size / BYTES_PER_SECOND) * TOKENS_PER_SECOND)
}

/** Bytes a second, from the chunk that describes the samples. */
function wavRate(bytes: Uint8Array): number | undefined {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  for (let at = 12; at + 20 <= bytes.length; at += 8 + view.getUint32(at + 4, true)) {
    if (startsWith(bytes, 'fmt ', at)) return view.getUint32(at + 16, true)
  }
  return undefined
}

/** Behind the tags, whose length has seven bits in each of four bytes. */
function startOfMp3(bytes: Uint8Array): number {
  const length = bytes.subarray(6, 10).reduce((sum, byte) => sum * 128 + (byte & 0x7f), 0)
  return startsWith(bytes, 'ID3') ? 10 + length : 0
}

/** Kbit a second of layer III, by the index in the header of a frame: MPEG 1, and MPEG 2. */
const MP3_RATES = [
  [32, 40, 48, 56, 64, 80, 96, 112, 128, 160, 192, 224, 256, 320],
  [8, 16, 24, 32, 40, 48, 56, 64, 80, 96, 112, 128, 144, 160],
] as const

/** Bytes a second of the frame that begins here; `undefined` where none does. */
function mp3Rate(bytes: Uint8Array, at: number): number | undefined {
  const [first = 0, second = 0, third = 0] = bytes.subarray(at, at + 3)
  const isFrame = first === 0xff && (second & 0xe6) === 0xe2 && (second & 0x18) !== 0x08 && (third & 0x0c) !== 0x0c
  const rate = isFrame ? MP3_RATES[(second & 0x18) === 0x18 ? 0 : 1][(third >> 4) - 1] : undefined
  return rate && rate * 125
}
