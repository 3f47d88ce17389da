import { audioType, imageType, startsWith } from '../context.ts'
import { signatureType } from '../platform.ts'
import type { Unreadable } from './document.ts'
import { type Archive, openArchive } from './office/zip-archive.ts'
import type { ReadingLimits } from './reading-limits.ts'
import { looksBinary } from './character-set.ts'

export type FileKind =
  | {
      readonly type: 'pdf' | 'word' | 'spreadsheet' | 'html' | 'delimited' | 'text' | 'image' | 'audio'
      readonly mediaType: string
    }
  | Refusal

/**
 * What a file is, by its bytes. Its name decides only among the kinds of plain text.
 * Throws a `ReadingFault` for a package whose list of parts cannot be read.
 */
export function fileKind(bytes: Uint8Array, name: string, limits: ReadingLimits): FileKind {
  if (isPdf(bytes)) return { type: 'pdf', mediaType: 'application/pdf' }
  if (startsWith(bytes, 'PK\x03\x04') || startsWith(bytes, 'PK\x05\x06')) return officeKind(bytes, limits)
  if (startsWith(bytes, '\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1')) return olderOfficeKind(bytes)
  const head = bytes.subarray(0, 4096)
  if (looksBinary(head)) {
    const image = imageType(bytes)
    if (image !== undefined) return { type: 'image', mediaType: image }
    const sound = audioType(bytes)
    if (sound !== undefined) return { type: 'audio', mediaType: sound }
    // Only for bytes that are no text: a sentence may begin with `MZ`.
    const mediaType = signatureType(bytes)
    if (mediaType !== undefined) return { type: 'refused', ...refusalFor(mediaType), mediaType }
  }
  if (startsWith(bytes, '{\\rtf')) {
    const reason = 'it is a rich text document (RTF); save it as docx, PDF or text'
    return { type: 'refused', code: 'unsupported', reason, mediaType: 'application/rtf' }
  }
  return textMediaType(head, name)
}

/** Mail gateways and printers put bytes before the signature; then the end of the file must confirm it. */
function isPdf(bytes: Uint8Array): boolean {
  const head = Buffer.from(bytes.subarray(0, 1024)).toString('latin1')
  if (/^(?:\xef\xbb\xbf)?\s*%PDF-/.test(head)) return true
  if (!head.includes('%PDF-')) return false
  return Buffer.from(bytes.subarray(-1024)).toString('latin1').includes('%%EOF')
}

/** A file whose text is not extracted, and why. */
interface Refusal {
  readonly type: 'refused'
  readonly code: Unreadable['code']
  readonly reason: string
  readonly mediaType: string
}

function refusalFor(mediaType: string): Pick<Refusal, 'code' | 'reason'> {
  if (/^(?:audio|video)\/|\/ogg$/.test(mediaType)) {
    return { code: 'unsupported', reason: 'it is a recording; of sound and film, WAV and MP3 are read' }
  }
  if (mediaType.startsWith('image/')) {
    const reason = 'models do not accept this image format; save it as PNG or JPEG'
    return { code: 'unsupported', reason }
  }
  if (programs.has(mediaType)) return { code: 'binary', reason: 'it is a program' }
  if (mediaType === 'application/vnd.sqlite3') return { code: 'binary', reason: 'it is a database' }
  return { code: 'unsupported', reason: 'it is an archive; unpack it and hand in the files' }
}

const programs = new Set([
  'application/x-elf',
  'application/vnd.microsoft.portable-executable',
  'application/x-mach-binary',
  'application/wasm',
])

const wordType = 'application/vnd.openxmlformats-officedocument.wordprocessingml.document'
const spreadsheetType = 'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet'
const slidesType = 'application/vnd.openxmlformats-officedocument.presentationml.presentation'

type OfficeKind = { readonly type: 'word' | 'spreadsheet'; readonly mediaType: string } | Refusal

/** What a zip file is, by its parts. Throws a `ReadingFault` where they cannot be listed, or are too many. */
function officeKind(bytes: Uint8Array, limits: ReadingLimits): OfficeKind {
  const archive = openArchive(bytes, limits)
  const has = (pattern: RegExp) => archive.names.some((name) => pattern.test(name))
  if (has(/^word\/document\d*\.xml$/)) return { type: 'word', mediaType: wordType }
  if (has(/^xl\/workbook\d*\.xml$/)) return { type: 'spreadsheet', mediaType: spreadsheetType }
  if (has(/^xl\/workbook\.bin$/)) {
    return unsupported(
      'it is a binary workbook (xlsb); save it as xlsx',
      'application/vnd.ms-excel.sheet.binary.macroenabled.12',
    )
  }
  if (has(/^ppt\/presentation\.xml$/)) return unsupported('slides (pptx) are not read; save them as PDF', slidesType)
  return declaredKind(archive) ?? unsupported('it is an archive; unpack it and hand in the files', 'application/zip')
}

/** OpenDocument files and books declare their type in a part of their own. */
function declaredKind(archive: Archive): OfficeKind | undefined {
  const declared = archive.textOf('mimetype')?.trim().slice(0, 100) ?? ''
  if (declared.startsWith('application/vnd.oasis.opendocument.')) {
    return unsupported('OpenDocument files are not read; save it as docx, xlsx or PDF', declared)
  }
  if (declared !== 'application/epub+zip') return undefined
  return unsupported('books (EPUB) are not read; save it as PDF or HTML', declared)
}

/** Documents of the years before docx, and newer ones that a password protects. */
function olderOfficeKind(bytes: Uint8Array): OfficeKind {
  const mediaType = 'application/x-ole-storage'
  // Names of streams are UTF-16; their list may be anywhere.
  if (!Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).includes('EncryptedPackage', 0, 'utf16le')) {
    return unsupported('it is an older Office document; save it as docx, xlsx or PDF', mediaType)
  }
  return {
    type: 'refused',
    code: 'encrypted',
    reason: 'the file is protected by a password; save it without one',
    mediaType,
  }
}

function unsupported(reason: string, mediaType: string): Refusal {
  return { type: 'refused', code: 'unsupported', reason, mediaType }
}

const byExtension: Readonly<Record<string, string>> = {
  md: 'text/markdown',
  markdown: 'text/markdown',
  mdx: 'text/markdown',
  csv: 'text/csv',
  tsv: 'text/tab-separated-values',
  tab: 'text/tab-separated-values',
  json: 'application/json',
  jsonl: 'application/jsonl',
  ndjson: 'application/jsonl',
  ipynb: 'application/json',
  xml: 'application/xml',
  svg: 'image/svg+xml',
  yaml: 'application/yaml',
  yml: 'application/yaml',
  css: 'text/css',
  js: 'text/javascript',
  mjs: 'text/javascript',
  eml: 'message/rfc822',
  tex: 'text/x-tex',
}

const pages = new Set(['html', 'htm', 'xhtml', 'shtml'])

/** Extensions that tell nothing about the text in the file, or that its bytes have disproved. */
const unspecific = new Set([
  '',
  'txt',
  'text',
  'pdf',
  'doc',
  'docx',
  'xls',
  'xlsx',
  'png',
  'jpg',
  'jpeg',
  'gif',
  'webp',
])

const startOfPage = /^(?:\ufeff|\s|<\?xml[^>]*\?>|<!--[^]*?-->)*<(?:!doctype\s+html|html)\b/i

const delimitedTypes: readonly string[] = ['text/csv', 'text/tab-separated-values']

/** Which kind of plain text the bytes are. `head` is how they begin. */
function textMediaType(head: Uint8Array, name: string): { type: 'html' | 'delimited' | 'text'; mediaType: string } {
  const extension = /\.([^./\\]+)$/.exec(name)?.[1]?.toLowerCase() ?? ''
  // Without the NULs, UTF-16 reads like Latin-1, which is enough to see how a page begins.
  const start = Buffer.from(head).toString('latin1').replaceAll('\0', '')
  const isPage = startOfPage.test(start.replace(/^(?:\xef\xbb\xbf|\xff\xfe|\xfe\xff)/, ''))
  if (pages.has(extension) || (isPage && unspecific.has(extension))) return { type: 'html', mediaType: 'text/html' }
  const mediaType = byExtension[extension] ?? 'text/plain'
  return { type: delimitedTypes.includes(mediaType) ? 'delimited' : 'text', mediaType }
}
