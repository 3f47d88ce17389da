import { imageType, startsWith } from '../context.ts'
import { type Refusal, refusalOf } from './file-signatures.ts'
import { officeKind, olderOfficeKind } from './office/office-kind.ts'
import type { ReadingLimits } from './reading-limits.ts'
import { looksBinary } from './text/character-set.ts'
import { textMediaType } from './text/text-media-type.ts'

export type FileKind =
  | {
      readonly type: 'pdf' | 'word' | 'spreadsheet' | 'html' | 'delimited' | 'text' | 'image'
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
    const refusal = refusalOf(bytes)
    if (refusal !== undefined) return refusal
  }
  if (startsWith(bytes, '{\\rtf')) {
    const reason = 'it is a rich text document (RTF); save it as docx, PDF or text'
    return { type: 'refused', code: 'unsupported', reason, mediaType: 'application/rtf' }
  }
  return textMediaType(head, name)
}

/** The sign may stand behind other bytes, as mail gateways and printers put them; then the end has to say it too. */
function isPdf(bytes: Uint8Array): boolean {
  const head = Buffer.from(bytes.subarray(0, 1024)).toString('latin1')
  if (/^(?:\xef\xbb\xbf)?\s*%PDF-/.test(head)) return true
  if (!head.includes('%PDF-')) return false
  return Buffer.from(bytes.subarray(-1024)).toString('latin1').includes('%%EOF')
}
