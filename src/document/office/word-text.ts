import { parsedPage } from '../html/parsed-page.ts'
import { renderMarkdown } from '../html/markdown.ts'
import { missingParts, partsOutside } from '../missing-parts.ts'
import { ReadingFault, type ReadingLimits } from '../reading-limits.ts'
import { cleanText, shownTitle } from '../character-set.ts'
import { formulasAsText } from './formula-text.ts'
import { scanXml } from './xml-scan.ts'
import { type Archive, openArchive } from './zip-archive.ts'

/**
 * The text of a docx as Markdown: headings, lists and tables kept, formulas as TeX, what was deleted under change tracking
 * left out. What is beside the body follows it, and a last line counts what else is not in the text.
 */
export async function wordText(
  bytes: Uint8Array,
  limits: ReadingLimits,
): Promise<{ readonly text: string; readonly title?: string }> {
  const archive = openArchive(bytes, limits)
  // What a part unpacks to has to fit what it declares, also where nothing reads it.
  for (const name of archive.names) if (/\.(?:xml|rels)$/.test(name)) archive.readEntry(name)
  const missing = missingParts()
  const outside = partsOutside(archive, missing.add, outsideTheText, KNOWN_PARTS)
  const { default: mammoth } = await import('mammoth')
  const { value, messages } = await mammoth.convertToHtml({ file: wordParts(archive, missing.add) } as never, {
    convertImage: mammoth.images.imgElement(async () => {
      missing.add('images')
      return { src: '' }
    }),
  })
  for (const { message } of messages) {
    const name = /^An unrecognised element was ignored: (?:\{[^}]*\})?(.*)$/s.exec(message)?.[1]
    if (name !== undefined && !WORDLESS.test(name)) missing.add(name)
    else if (/w:sym|find image|v:imagedata/.test(message)) missing.add(message.includes('w:sym') ? 'symbols' : 'images')
  }
  const text = cleanText(renderMarkdown((await parsedPage(value)).body))
  const texts = text.trim() === '' ? outside : [text, ...outside]
  if (texts.length > 0) return { text: [...texts, ...missing.note()].join('\n\n'), ...officeTitle(archive) }
  if (archive.names.some((name) => name.startsWith('word/media/'))) {
    throw new ReadingFault('no-text', 'the document contains images and no text')
  }
  throw new ReadingFault('empty', 'the document contains no text')
}

const outsideTheText = {
  comments: { names: /^word\/comments\d*\.xml$/, each: /<w:comment\s/g, hasWords: true },
  'headers and footers': {
    names: /^word\/(?:header|footer)\d*\.xml$/,
    each: /<w:(?:drawing|pict|object)[\s>]/g,
    hasWords: true,
  },
  charts: { names: /^word\/charts\/chart(?:Ex)?\d*\.xml$/, hasWords: true },
  diagrams: { names: /^word\/diagrams\/data\d*\.xml$/, hasWords: true },
  'embedded objects': { names: /^word\/embeddings\/./ },
  macros: { names: /^word\/vbaProject\.bin$/ },
  'tracked deletions': { names: /^word\/document\d*\.xml$/, each: /<w:delText[\s>]/g },
} as const

/** Parts that are read with the body, or that only say how a document looks or is edited. */
const KNOWN_PARTS =
  /^word\/(?:(?:document|footnotes|endnotes|styles|stylesWithEffects|settings|webSettings|fontTable|numbering|people|comments\w+|vbaData)\d*\.xml|(?:media|theme|fonts|charts|diagrams|glossary|activeX|customizations)\/|\w+\.bin)/

/** Elements without words. */
const WORDLESS =
  /^(?:v:(?!textpath)|office-word:|w:(?:\w+PrEx|\w+Range(?:Start|End)|separator|continuationSeparator|fldData)$|lock$|OLEObject$)/

/** The parts of a docx as the library asks for them, with what it does not know in words that it knows. */
function wordParts(archive: Archive, onUnknown: (name: string) => void) {
  return {
    exists: (name: string) => archive.names.includes(name),
    async read(name: string, encoding?: string) {
      if (
        encoding !== undefined &&
        encoding !== 'base64' &&
        /^word\/(?:document|footnotes|endnotes)\d*\.xml$/.test(name)
      ) {
        return formulasAsText(knownElements(archive.textOf(name) ?? ''), (math) =>
          onUnknown(`m:${math}, of which the text is kept`),
        )
      }
      const bytes = archive.readEntry(name) ?? new Uint8Array()
      return encoding === undefined ? bytes : Buffer.from(bytes).toString(encoding === 'base64' ? 'base64' : 'utf8')
    },
  }
}

/** Elements that only hold text are taken away; the pronunciation beside a text is not shown. */
function knownElements(xml: string): string {
  return xml
    .replaceAll(
      /<w:(rt|rubyPr)>[\s\S]*?<\/w:\1>|<\/?w:(?:fldSimple|bdo|dir|ruby|rubyBase|permStart|permEnd)(?:\s[^>]*)?\/?>/g,
      '',
    )
    .replaceAll(/<w:(cr|ptab)(?:\s[^>]*)?\/>/g, (_, name) => (name === 'cr' ? '<w:br/>' : '<w:tab/>'))
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
