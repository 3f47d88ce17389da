import { audioSeconds, imageSize } from '../context.ts'
import { defined } from '../platform.ts'
import type { Document, Unreadable } from './document.ts'
import { type FileKind, fileKind } from './file-kind.ts'
import { ReadingFault, type ReadingLimits, tooManyBytes, tooManyCharacters } from './reading-limits.ts'
import type { ReadingTask } from './reading-task.ts'
import { cleanText, decodedText } from './character-set.ts'

/**
 * The text of a file. A file can make it work for long, so it runs in a process of its own: `createDocumentReader`. Never
 * rejects because of the contents of the file.
 */
export async function readBytes(bytes: Uint8Array, task: ReadingTask): Promise<Document | Unreadable> {
  let mediaType = 'application/octet-stream'
  try {
    if (bytes.length === 0) throw new ReadingFault('empty', 'the file is empty')
    if (bytes.length > task.limits.bytes) throw tooManyBytes(bytes.length, task.limits.bytes)
    const kind = fileKind(bytes, task.name, task.limits)
    mediaType = kind.mediaType
    task.onKind?.(mediaType)
    return bounded(await readDocument(bytes, kind, task), task.limits)
  } catch (error) {
    return unreadable(error, mediaType)
  }
}

async function readDocument(bytes: Uint8Array, kind: FileKind, task: ReadingTask): Promise<Document> {
  const { mediaType } = kind
  switch (kind.type) {
    case 'refused':
      throw new ReadingFault(kind.code, kind.reason)
    case 'image':
      return { kind: 'image', ...imageSize(bytes, mediaType), mediaType }
    case 'audio':
      return { kind: 'audio', ...defined({ seconds: audioSeconds(bytes) }), bytes: bytes.length, mediaType }
    case 'pdf': {
      const { pdfText } = await import('./pdf-text.ts')
      return { kind: 'text', ...(await pdfText(bytes, task)), mediaType }
    }
    case 'word': {
      const { wordText } = await import('./office/word-text.ts')
      return { kind: 'text', ...(await wordText(bytes, task.limits)), mediaType }
    }
    case 'spreadsheet': {
      const { spreadsheetText } = await import('./office/spreadsheet-text.ts')
      return { kind: 'table', ...spreadsheetText(bytes, task.limits), mediaType }
    }
    case 'html': {
      const { pageText } = await import('./html/page-text.ts')
      return { kind: 'text', ...(await pageText(decodedText(bytes, task.charset), task.url)), mediaType }
    }
    case 'delimited': {
      const { delimitedText } = await import('./office/delimited-text.ts')
      const { name, limits } = task
      return {
        kind: 'table',
        ...delimitedText(cleanText(decodedText(bytes, task.charset)), { name, mediaType, limits }),
        mediaType,
      }
    }
    case 'text': {
      const text = cleanText(decodedText(bytes, task.charset))
      if (text.trim() === '') throw new ReadingFault('empty', 'the file contains only blanks')
      return { kind: 'text', text, mediaType }
    }
  }
}

function bounded(document: Document, limits: ReadingLimits): Document {
  if (!('text' in document) || document.text.length <= limits.characters) return document
  throw tooManyCharacters(document.text.length, limits.characters)
}

function unreadable(error: unknown, mediaType: string): Unreadable {
  if (error instanceof ReadingFault) {
    // What was taken for text, and is none, is nothing that has a name.
    const known = error.code === 'binary' && mediaType.startsWith('text/') ? 'application/octet-stream' : mediaType
    return { kind: 'unreadable', code: error.code, reason: error.message, mediaType: known }
  }
  return { kind: 'unreadable', ...toFault(error), mediaType }
}

/** Libraries throw anything; only errors of the engine itself give a reason. */
function toFault(error: unknown): { readonly code: Unreadable['code']; readonly reason: string } {
  const message = error instanceof RangeError ? error.message : ''
  if (/call stack/i.test(message)) return { code: 'broken', reason: 'its parts are nested too deeply to be read' }
  if (/invalid (?:string|array)|allocation/i.test(message)) {
    return { code: 'too-large', reason: 'reading it needs more memory than is available' }
  }
  return { code: 'broken', reason: 'the file is damaged or incomplete, and its text cannot be taken out' }
}
