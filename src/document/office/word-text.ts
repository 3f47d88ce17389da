import { parsedPage } from '../html/parsed-page.ts'
import { renderMarkdown } from '../html/markdown.ts'
import { ReadingFault, type ReadingLimits } from '../reading-limits.ts'
import { cleanText, shownTitle } from '../text/character-set.ts'
import { scanXml } from './xml-scan.ts'
import { type Archive, openArchive } from './zip-archive.ts'

/** The text of a docx as Markdown: headings, lists and tables kept, what was deleted under change tracking left out. */
export async function wordText(
  bytes: Uint8Array,
  limits: ReadingLimits,
): Promise<{ readonly text: string; readonly title?: string }> {
  const archive = openArchive(bytes, limits)
  // The library unpacks by itself and without a limit: what it will unpack is tried first, and has to fit what it declares.
  for (const name of archive.names) if (/\.(?:xml|rels)$/.test(name)) archive.readEntry(name)
  const { default: mammoth } = await import('mammoth')
  const { value } = await mammoth.convertToHtml(
    { buffer: Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength) },
    { convertImage: mammoth.images.imgElement(async () => ({ src: '' })) },
  )
  const text = cleanText(renderMarkdown((await parsedPage(value)).body))
  if (text.trim() !== '') return { text, ...officeTitle(archive) }
  if (archive.names.some((name) => name.startsWith('word/media/'))) {
    throw new ReadingFault('no-text', 'the document contains images and no text')
  }
  throw new ReadingFault('empty', 'the document contains no text')
}

function officeTitle(archive: Archive): { readonly title?: string } {
  let inside = false
  let title = ''
  scanXml(archive.textOf('docProps/core.xml') ?? '', {
    open: (name) => void (inside = name === 'title'),
    close: () => void (inside = false),
    text: (text) => void (inside && (title += text)),
  })
  return shownTitle(title)
}
