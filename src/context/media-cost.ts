import { audioSeconds, audioTokens } from './audio.ts'
import { imageSize, imageTokens, imageType, UNKNOWN_IMAGE_TOKENS } from './image.ts'

/** What an image or a file costs: its size, and the words that are counted with it. */
interface MediaCost {
  /** Of pictures and pages. */
  readonly tokens: number
  readonly texts: readonly string[]
}

/** An image or a file in any of the AI SDK's forms, also after a round trip through JSON. */
export interface Media {
  readonly mediaType: string
  readonly data: unknown
  readonly filename?: string
  /** `foreword {width, height}` in pixels, `{seconds}` or `{pages}`, where somebody knows them. */
  readonly providerOptions?: Readonly<Record<string, unknown>>
}

/** A page is read as a picture whose size nobody knows. */
const PAGE_TOKENS = UNKNOWN_IMAGE_TOKENS

/** Of a file that does not tell its pages: the size of a page of text with little in it, bytes. */
const BYTES_OF_A_PAGE = 30_000

/**
 * The cost of media by their size (BEHAVIOURS §3.4): an image by its pixels, a recording by
 * its length, a text by its words, every other file by its
 * pages. A file behind an address costs one picture or page, since its size is unknown.
 */
export function mediaCost({ mediaType, data, filename = '', providerOptions }: Media): MediaCost {
  const source = findSource(data)
  const facts = (providerOptions?.['foreword'] ?? {}) as Readonly<Record<string, unknown>>
  if (source.type === 'text') return { tokens: 0, texts: [filename, source.text] }
  const texts = source.type === 'url' ? [filename, source.url] : [filename]
  if (mediaType.startsWith('image')) return { tokens: pictureTokens(source, facts), texts: texts.slice(1) }
  if (mediaType.startsWith('audio')) return { tokens: recordingTokens(source, facts), texts: texts.slice(1) }
  if (mediaType.startsWith('text') && source.type === 'bytes') {
    return { tokens: 0, texts: [filename, new TextDecoder().decode(firstBytes(source, Infinity))] }
  }
  return { tokens: countPages(source, facts) * PAGE_TOKENS, texts }
}

type Source =
  | { readonly type: 'bytes'; readonly bytes: string | Uint8Array }
  | { readonly type: 'url'; readonly url: string }
  | { readonly type: 'text'; readonly text: string }
  | { readonly type: 'elsewhere' }

function findSource(data: unknown): Source {
  if (typeof data === 'string') return sourceOfText(data)
  if (data instanceof URL) return sourceOfText(data.href)
  if (data instanceof Uint8Array) return { type: 'bytes', bytes: data }
  if (data instanceof ArrayBuffer) return { type: 'bytes', bytes: new Uint8Array(data) }
  const tagged = (data ?? {}) as Readonly<Record<string, unknown>>
  if (tagged['type'] === 'text' && typeof tagged['text'] === 'string') return { type: 'text', text: tagged['text'] }
  if (tagged['type'] === 'url' && tagged['url'] !== undefined) return findSource(tagged['url'])
  if (tagged['type'] === 'data' && tagged['data'] !== undefined) return findSource(tagged['data'])
  if (tagged['type'] === 'Buffer' && Array.isArray(tagged['data'])) {
    return { type: 'bytes', bytes: Uint8Array.from(tagged['data'] as number[]) }
  }
  return { type: 'elsewhere' }
}

function sourceOfText(text: string): Source {
  const inline = /^data:[^,]*;base64,/.exec(text.slice(0, 256))
  if (inline) return { type: 'bytes', bytes: text.slice(inline[0].length) }
  return /^[a-z][a-z0-9+.-]*:/i.test(text) ? { type: 'url', url: text } : { type: 'bytes', bytes: text }
}

/** Bytes of the beginning of an image in which its size is looked for. */
const HEADER = 262_144

function pictureTokens(source: Source, { width, height }: Readonly<Record<string, unknown>>): number {
  if (typeof width === 'number' && typeof height === 'number') return imageTokens(width, height)
  if (source.type !== 'bytes') return UNKNOWN_IMAGE_TOKENS
  const header = firstBytes(source, HEADER)
  const type = imageType(header)
  const size = type === undefined ? undefined : imageSize(header, type)
  return size === undefined ? UNKNOWN_IMAGE_TOKENS : imageTokens(size.width, size.height)
}

function recordingTokens(source: Source, { seconds }: Readonly<Record<string, unknown>>): number {
  if (typeof seconds === 'number') return audioTokens(seconds)
  if (source.type !== 'bytes') return audioTokens(undefined)
  const size = sourceSize(source)
  return audioTokens(audioSeconds(firstBytes(source, HEADER), size), size)
}

/** Bytes of a PDF in which pages are counted. */
const SEARCHED = 2_097_152

function countPages(source: Source, { pages }: Readonly<Record<string, unknown>>): number {
  if (typeof pages === 'number' && pages > 0) return Math.ceil(pages)
  if (source.type !== 'bytes') return 1
  const bySize = Math.max(1, Math.ceil(sourceSize(source) / BYTES_OF_A_PAGE))
  const head = new TextDecoder('latin1').decode(firstBytes(source, SEARCHED))
  if (!head.startsWith('%PDF')) return bySize
  let found = 0
  for (const _ of head.matchAll(/\/Type\s*\/Page(?![a-zA-Z])/g)) found += 1
  for (const [, count] of head.matchAll(/\/Type\s*\/Pages\b[^>]{0,200}?\/Count\s+(\d{1,6})/g))
    found = Math.max(found, Number(count))
  return found > 0 ? found : bySize
}

function sourceSize({ bytes }: { readonly bytes: string | Uint8Array }): number {
  return typeof bytes === 'string' ? Math.floor((bytes.length * 3) / 4) : bytes.length
}

/** The first `most` bytes. Of what is not base64 there are none. */
function firstBytes({ bytes }: { readonly bytes: string | Uint8Array }, most: number): Uint8Array {
  if (typeof bytes !== 'string') return bytes.subarray(0, Math.min(most, bytes.length))
  const length = Math.min(bytes.length, Math.ceil(most / 3) * 4)
  try {
    return Uint8Array.from(atob(bytes.slice(0, length)), (character) => character.charCodeAt(0))
  } catch {
    return new Uint8Array()
  }
}
