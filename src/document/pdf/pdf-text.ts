import { ReadingFault } from '../reading-fault.ts'
import { grouped, tooManyCharacters } from '../reading-limits.ts'
import type { ReadingTask } from '../reading-task.ts'
import { cleanText } from '../text/clean-text.ts'
import { linesOf } from './page-lines.ts'

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
      throw new ReadingFault('too-large', `it has ${grouped(count)} pages; at most ${grouped(limits.pages)} are read`)
    }
    let text = ''
    let blank = true
    const pages: number[] = []
    for (let number = 1; number <= count; number += 1) {
      const page = await pdf.getPage(number)
      const content = await page.getTextContent()
      const said = cleanText(linesOf(content.items))
      page.cleanup()
      if (number > 1) text += '\n\n'
      pages.push(text.length)
      text += said
      blank &&= said === ''
      if (text.length > limits.characters) throw tooManyCharacters(text.length, limits.characters)
      onProgress?.({ page: number, pages: count })
    }
    if (blank) throw new ReadingFault('no-text', 'its pages hold no text; they may be scanned images')
    return { text, pages, ...titleOf(await pdf.getMetadata().catch(() => undefined)) }
  } finally {
    await pdf.loadingTask.destroy()
  }
}

async function openedPdf(bytes: Uint8Array) {
  const { getResolvedPDFJS } = await import('unpdf')
  const { getDocument } = await getResolvedPDFJS()
  try {
    return await getDocument({
      // The library makes the bytes its own.
      data: Uint8Array.from(bytes),
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

/** The library would make the best of a PDF that breaks off, and nobody would see which pages are missing. */
function isComplete(bytes: Uint8Array): boolean {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).lastIndexOf('%%EOF') > bytes.length - 65_536
}

function titleOf(metadata: { readonly info: object } | undefined): { readonly title?: string } {
  const title = metadata && 'Title' in metadata.info ? metadata.info.Title : undefined
  if (typeof title !== 'string') return {}
  const clean = cleanText(title).replace(/\s+/g, ' ').trim().slice(0, 500).toWellFormed()
  return clean === '' ? {} : { title: clean }
}
