import type { Refusal } from '../file-signatures.ts'
import type { ReadingLimits } from '../reading-limits.ts'
import { type Archive, openArchive } from './zip-archive.ts'

const wordType = 'application/vnd.openxmlformats-officedocument.wordprocessingml.document'
const spreadsheetType = 'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet'
const slidesType = 'application/vnd.openxmlformats-officedocument.presentationml.presentation'

type OfficeKind = { readonly type: 'word' | 'spreadsheet'; readonly mediaType: string } | Refusal

/** What a zip file is, by its parts. Throws a `ReadingFault` where they cannot be listed, or are too many. */
export function officeKind(bytes: Uint8Array, limits: ReadingLimits): OfficeKind {
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

/** OpenDocument and books say in a part of their own what they are. */
function declaredKind(archive: Archive): OfficeKind | undefined {
  const declared = archive.textOf('mimetype')?.trim().slice(0, 100) ?? ''
  if (declared.startsWith('application/vnd.oasis.opendocument.')) {
    return unsupported('OpenDocument files are not read; save it as docx, xlsx or PDF', declared)
  }
  if (declared !== 'application/epub+zip') return undefined
  return unsupported('books (EPUB) are not read; save it as PDF or HTML', declared)
}

/** Documents of the years before docx, and newer ones that a password protects. */
export function olderOfficeKind(bytes: Uint8Array): OfficeKind {
  const mediaType = 'application/x-ole-storage'
  // Names of streams are UTF-16; the list of them may stand anywhere.
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
