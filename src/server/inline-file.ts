import { imageSize } from '../context.ts'
import { HttpFailure } from './failure.ts'

/** A file that stands in the body of a request itself. */
export interface InlineFile {
  readonly name: string
  readonly mediaType: string
  readonly bytes: Uint8Array
  /** Of an image, pixels, where its first bytes tell it. */
  readonly size?: { readonly width: number; readonly height: number }
}

/**
 * The file of a `data:` URL. Throws `HttpFailure` for other addresses: nothing is fetched for a caller, so that what was
 * sent can be shown again, and no address inside this network can be reached.
 */
export function inlineFile(url: string, where: string, name?: string): InlineFile {
  const found = /^data:(?<type>[\w.+-]+\/[\w.+-]+)?(?:;[\w-]+=[^;,]*)*(?<base64>;base64)?,/i.exec(url.slice(0, 500))
  if (!found) throw notInline(url, where)
  const { type = 'text/plain', base64 } = found.groups ?? {}
  const mediaType = type.toLowerCase()
  const text = url.slice(found[0].length)
  const bytes = base64 ? Buffer.from(text, 'base64') : Buffer.from(decoded(text, where), 'utf8')
  if (bytes.byteLength === 0) throw new HttpFailure(400, 'invalid-input', `${where}: the data: URL is empty.`)
  const size = mediaType.startsWith('image/') ? imageSize(bytes, mediaType) : undefined
  return { name: name || `file.${extensionOf(mediaType)}`, mediaType, bytes, ...(size ? { size } : {}) }
}

function decoded(text: string, where: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    throw new HttpFailure(400, 'invalid-input', `${where}: the data: URL is not encoded as one.`)
  }
}

const EXTENSIONS: Readonly<Record<string, string>> = { jpeg: 'jpg', plain: 'txt', markdown: 'md', 'svg+xml': 'svg' }

function extensionOf(mediaType: string): string {
  const subtype = mediaType.split('/')[1] ?? 'bin'
  return EXTENSIONS[subtype] ?? subtype
}

function notInline(url: string, where: string): HttpFailure {
  const kind = /^[a-z][\w+.-]*:/i.exec(url)?.[0] ?? ''
  const what = kind === '' ? 'is no URL' : `begins with ${kind}, and addresses are not fetched`
  return new HttpFailure(
    400,
    'invalid-input',
    `${where}: the file ${what}. Send it in the request itself, as data:image/png;base64,….`,
    { parameter: where },
  )
}
