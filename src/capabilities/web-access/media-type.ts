/** What a page can be made of, as far as it is read. */
export type PageKind = 'html' | 'pdf' | 'text'

/** The media type and the character set of a `content-type`, both in lower case. */
export function mediaTypeOf(contentType: string | undefined): {
  readonly mediaType: string
  readonly charset?: string
} {
  const [mediaType = '', ...parameters] = (contentType ?? '').slice(0, 500).toLowerCase().split(';')
  const charset = parameters.map((each) => each.trim()).find((each) => each.startsWith('charset='))
  const name = charset
    ?.slice('charset='.length)
    .replaceAll(/^["']|["']$/g, '')
    .trim()
  return { mediaType: mediaType.trim(), ...(name && { charset: name }) }
}

/** How a page of that type is read; `undefined`: not at all. */
export function pageKind(mediaType: string): PageKind | undefined {
  if (mediaType === 'text/html' || mediaType === 'application/xhtml+xml') return 'html'
  if (mediaType === 'application/pdf' || mediaType === 'application/x-pdf') return 'pdf'
  if (mediaType.startsWith('text/') || textTypes.has(mediaType) || /\+(?:json|xml)$/.test(mediaType)) return 'text'
  return undefined
}

/** The type of what came without one. */
export function guessedMediaType(bytes: Uint8Array): string {
  const beginning = Buffer.from(bytes.subarray(0, 1024)).toString('latin1')
  if (beginning.startsWith('%PDF-')) return 'application/pdf'
  return /^[\s\u00ef\u00bb\u00bf]*<(?:!doctype html|html|head|body)/i.test(beginning) ? 'text/html' : 'text/plain'
}

const textTypes = new Set([
  'application/json',
  'application/ld+json',
  'application/x-ndjson',
  'application/xml',
  'application/markdown',
  'application/yaml',
  'application/x-yaml',
  'application/javascript',
  'application/toml',
])
