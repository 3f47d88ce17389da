import type { PDFDocumentProxy } from 'unpdf/pdfjs'
import { missingParts } from './missing-parts.ts'
import { numberText } from '../context.ts'
import { ReadingFault, tooManyCharacters } from './reading-limits.ts'
import type { ReadingTask } from './reading-task.ts'
import { cleanText, shownTitle } from './character-set.ts'

/** The text of a PDF, page by page. Throws a `ReadingFault` where it is encrypted, broken, too long, or images alone. */
export async function pdfText(
  bytes: Uint8Array,
  { limits, onProgress }: ReadingTask,
): Promise<{ readonly text: string; readonly pages: readonly number[]; readonly title?: string }> {
  if (!isComplete(bytes)) throw new ReadingFault('broken', 'the file is incomplete: the end of the PDF is missing')
  const pdf = await openedPdf(bytes)
  try {
    const count = pdf.numPages
    if (count > limits.pages) {
      throw new ReadingFault(
        'too-large',
        `it has ${numberText(count)} pages; at most ${numberText(limits.pages)} are read`,
      )
    }
    let text = ''
    let read = 0
    const missing = missingParts()
    let isBlank = true
    const pages: number[] = []
    for (let number = 1; number <= count; number += 1) {
      if (number > 1) text += '\n\n'
      pages.push(text.length)
      // oxlint-disable-next-line no-await-in-loop -- a page at a time takes the memory of one page
      const said = await pageText(pdf, number, missing.add)
      if (said !== undefined) read += 1
      isBlank &&= (said ?? '') === ''
      text += said ?? `(page ${number} is damaged and cannot be read)`
      if (text.length > limits.characters) throw tooManyCharacters(text.length, limits.characters)
      onProgress?.({ page: number, pages: count })
    }
    if (read === 0) throw new ReadingFault('broken', 'none of its pages can be read')
    if (isBlank) throw new ReadingFault('no-text', 'its pages contain no text; they may be scanned images')
    missing.add('embedded files', await countAttachments(pdf))
    missing.add('entries of its outline', await unwrittenEntries(pdf, text))
    missing.add('images', countImages(bytes))
    const metadata = await pdf.getMetadata().catch(() => undefined)
    if (metadata && 'IsXFAPresent' in metadata.info && metadata.info.IsXFAPresent)
      missing.add('form of a kind that is not read (XFA)')
    return { text: [text, ...missing.note()].join('\n\n'), pages, ...documentTitle(metadata) }
  } finally {
    await pdf.loadingTask.destroy()
  }
}

/** The text of a page with its notes and fields; `undefined` where its content is damaged. */
async function pageText(
  pdf: PDFDocumentProxy,
  number: number,
  add: (what: string) => void,
): Promise<string | undefined> {
  try {
    const page = await pdf.getPage(number)
    const { items } = await page.getTextContent()
    const notes = ((await page.getAnnotations()) as readonly Annotation[]).flatMap((note) => annotationText(note, add))
    const text = cleanText([pageLines(items), ...notes].filter((part) => part !== '').join('\n'))
    if (text === '') add('pages without text')
    page.cleanup()
    return text
  } catch (error) {
    if (error instanceof RangeError) throw error
    return undefined
  }
}

/** What lies upon a page, as the library tells it. */
interface Annotation {
  readonly subtype?: string
  readonly contentsObj?: { readonly str?: string }
  readonly fieldName?: string
  readonly fieldValue?: unknown
  readonly fieldType?: string
  readonly alternativeText?: string
  readonly password?: boolean
  readonly pushButton?: boolean
}

/** Notes and filled fields as a line each. Their other kinds are counted, except links, whose words are on the page. */
function annotationText(note: Annotation, add: (what: string) => void): readonly string[] {
  const oneLine = (text: string) => text.replaceAll(/\s+/g, ' ').trim()
  if (note.subtype === 'Widget') {
    if (note.fieldType === 'Sig') return (add('signatures'), [])
    const value = oneLine([note.fieldValue ?? ''].flat().map(String).join(', '))
    if (note.pushButton || note.password || value === '') return []
    return [`(field ${oneLine(note.alternativeText || note.fieldName || '')}: ${value})`]
  }
  const words = oneLine(note.contentsObj?.str ?? '')
  if (words !== '') return [`(note: ${words})`]
  if (!MARKS.has(note.subtype ?? '')) add(unreadAnnotations[note.subtype ?? ''] ?? 'drawings upon its pages')
  return []
}

/** Annotations without words of their own: links, lines and marks in the text. */
const MARKS = new Set(
  'Text FreeText Link Popup Highlight Underline Squiggly StrikeOut Line Square Circle Polygon PolyLine Caret PrinterMark TrapNet Watermark Redact Projection'.split(
    ' ',
  ),
)

const unreadAnnotations: Readonly<Record<string, string>> = {
  FileAttachment: 'attached files',
  Stamp: 'stamps',
  Sound: 'recordings',
  Movie: 'recordings',
  Screen: 'recordings',
  RichMedia: 'recordings',
  '3D': 'models in 3D',
}

async function countAttachments(pdf: PDFDocumentProxy): Promise<number> {
  const found = (await pdf.getAttachments().catch(() => undefined)) as ReadonlyMap<string, unknown> | undefined
  return found?.size ?? 0
}

/** How many entries of the outline are not among the words of the text. */
async function unwrittenEntries(pdf: PDFDocumentProxy, text: string): Promise<number> {
  const squeezed = text.replaceAll(/\s+/g, '')
  let open = (await pdf.getOutline().catch(() => undefined)) ?? []
  let count = 0
  let seen = 0
  while (open.length > 0 && seen < 1_000) {
    seen += open.length
    count += open.filter(({ title }) => !squeezed.includes(title.replaceAll(/\s+/g, ''))).length
    open = open.flatMap(({ items }) => items)
  }
  return count
}

/** Images in the file. What masks one is none; the dictionary of an image is never packed. */
function countImages(bytes: Uint8Array): number {
  const written = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('latin1')
  const found = (pattern: RegExp) => written.match(pattern)?.length ?? 0
  return found(/\/Subtype\s*\/Image\b/g) - found(/\/SMask\s+\d+\s+\d+\s+R\b/g)
}

async function openedPdf(bytes: Uint8Array) {
  const { getResolvedPDFJS } = await import('unpdf')
  const { getDocument } = await getResolvedPDFJS()
  try {
    return await getDocument({
      // The library makes the bytes its own.
      data: new Uint8Array(bytes),
      disableFontFace: true,
      useSystemFonts: false,
      useWorkerFetch: false,
      verbosity: 0,
    }).promise
  } catch (error) {
    if ((error as Error).name !== 'PasswordException') throw error
    throw new ReadingFault('encrypted', 'the file is protected by a password; save it without one')
  }
}

/** Without this check the library would read a truncated PDF, and nobody would see which pages are missing. */
function isComplete(bytes: Uint8Array): boolean {
  const end = bytes.subarray(-65_536)
  return Buffer.from(end.buffer, end.byteOffset, end.byteLength).includes('%%EOF')
}

function documentTitle(metadata: { readonly info: object } | undefined): { readonly title?: string } {
  const title = metadata && 'Title' in metadata.info ? metadata.info.Title : undefined
  return typeof title === 'string' ? shownTitle(title) : {}
}

/** A run of characters on a page, as the library tells it. Marked content has no `str`. */
interface Run {
  readonly str?: string
  readonly hasEOL?: boolean
  readonly height?: number
  /** The last one is the distance from the bottom of the page. */
  readonly transform?: readonly number[]
}

/** The lines of a page; a gap wider than lines are apart parts two paragraphs. */
function pageLines(runs: readonly object[]): string {
  const lines: string[] = []
  let line = ''
  let height = 0
  let bottom: number | undefined
  let above: { readonly bottom: number; readonly height: number } | undefined
  const end = () => {
    const said = line.trim()
    if (said !== '') {
      if (isApart(above, bottom, height)) lines.push('')
      lines.push(said)
      if (bottom !== undefined) above = { bottom, height }
    }
    line = ''
    height = 0
    bottom = undefined
  }
  for (const { str, hasEOL, height: high, transform } of runs as readonly Run[]) {
    if (str === undefined) continue
    if (str.trim() !== '') {
      bottom ??= transform?.[5]
      height = Math.max(height, high ?? 0)
    }
    line += str
    if (hasEOL) end()
  }
  end()
  return lines.join('\n')
}

function isApart(
  above: { readonly bottom: number; readonly height: number } | undefined,
  bottom: number | undefined,
  height: number,
): boolean {
  if (above === undefined || bottom === undefined) return false
  const distance = above.bottom - bottom
  // Upwards is another column.
  return distance < 0 || distance > 1.8 * Math.max(height, Math.min(above.height, height * 2))
}
