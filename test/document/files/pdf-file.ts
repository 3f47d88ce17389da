import { deflateSync } from 'node:zlib'

export interface PdfFacts {
  readonly title?: string
  /** Stands in the trailer: a password that nobody knows. */
  readonly encrypted?: boolean
  /** What lies upon each page, and what the catalog has beside the pages. */
  readonly annotations?: string
  readonly catalog?: string
  /** Objects behind the pages, whose numbers follow theirs. */
  readonly objects?: readonly (string | Buffer)[]
}

/** A PDF whose pages show these texts, line by line; a blank line parts paragraphs. A page without text shows nothing. */
export function pdfFile(pages: readonly string[], facts: PdfFacts = {}): Buffer {
  return pdfOf(pages.map(pageContent), facts)
}

/** The same of what stands in the content streams. */
export function pdfOf(
  contents: readonly string[],
  { title, encrypted = false, annotations, catalog = '', objects: more = [] }: PdfFacts = {},
): Buffer {
  const kids = contents.map((_, index) => `${5 + index * 2} 0 R`).join(' ')
  const objects: (string | Buffer)[] = [
    `<< /Type /Catalog /Pages 2 0 R ${catalog} >>`,
    `<< /Type /Pages /Kids [${kids}] /Count ${contents.length} >>`,
    '<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica /Encoding /WinAnsiEncoding >>',
    title === undefined ? '<< >>' : `<< /Title (${title}) >>`,
    ...contents.flatMap((content, index) => [
      `<< /Type /Page /Parent 2 0 R /MediaBox [0 0 595 842] /Resources << /Font << /F1 3 0 R >> >> /Contents ${6 + index * 2} 0 R${annotations === undefined ? '' : ` /Annots ${annotations}`} >>`,
      stream(content),
    ]),
    ...more,
  ]
  const secret = `<${'ab'.repeat(32)}>`
  const protection = `/Encrypt << /Filter /Standard /V 1 /R 2 /O ${secret} /U ${secret} /P -4 >> /ID [<00> <00>]`
  return assembled(objects, encrypted ? protection : '')
}

function pageContent(text: string): string {
  if (text === '') return ''
  const escaped = text.split('\n').map((line) => line.replace(/[\\()]/g, String.raw`\$&`))
  return `BT /F1 12 Tf 14 TL 50 800 Td ${escaped.map((line) => `(${line}) Tj T*`).join('\n')} ET`
}

function stream(content: string): Buffer {
  const packed = deflateSync(Buffer.from(content, 'latin1'))
  const head = `<< /Length ${packed.length} /Filter /FlateDecode >>\nstream\n`
  return Buffer.concat([Buffer.from(head), packed, Buffer.from('\nendstream')])
}

function assembled(objects: readonly (string | Buffer)[], trailer: string): Buffer {
  const parts: Buffer[] = [Buffer.from('%PDF-1.7\n%\xe2\xe3\xcf\xd3\n', 'latin1')]
  let at = parts[0]!.length
  const places = objects.map((object, index) => {
    const place = at
    const written = Buffer.concat([Buffer.from(`${index + 1} 0 obj\n`), Buffer.from(object), Buffer.from('\nendobj\n')])
    parts.push(written)
    at += written.length
    return place
  })
  const table = places.map((place) => `${String(place).padStart(10, '0')} 00000 n \n`).join('')
  const size = objects.length + 1
  const end = `xref\n0 ${size}\n0000000000 65535 f \n${table}trailer\n<< /Size ${size} /Root 1 0 R /Info 4 0 R ${trailer} >>\nstartxref\n${at}\n%%EOF\n`
  return Buffer.concat([...parts, Buffer.from(end)])
}

/** A PDF of some 750 bytes that draws sixteen million letters: a page and a form draw the next form four thousand times each. */
export function unfoldingPdf(): Buffer {
  const drawing = (head: string, content: string) => {
    const packed = deflateSync(content, { level: 9 }).toString('latin1')
    return `<<${head}/Filter/FlateDecode/Length ${packed.length}>>stream\n${packed}\nendstream`
  }
  const form = '/Subtype/Form/BBox[0 0 9 9]/Resources'
  const objects = [
    '<</Type/Catalog/Pages 2 0 R>>',
    '<</Type/Pages/Kids[3 0 R]/Count 1>>',
    '<</Type/Page/Parent 2 0 R/MediaBox[0 0 9 9]/Resources<</XObject<</X 5 0 R>>>>/Contents 4 0 R>>',
    drawing('', '/X Do '.repeat(4000)),
    drawing(`${form}<</XObject<</X 6 0 R>>>>`, '/X Do '.repeat(4000)),
    drawing(`${form}<</Font<</F<</Type/Font/Subtype/Type1/BaseFont/Arial>>>>>>`, 'BT /F 9 Tf (a) Tj ET'),
  ]
  const body = objects.map((object, index) => `${index + 1} 0 obj\n${object}\nendobj\n`).join('')
  return Buffer.from(`%PDF-1.4\n${body}trailer\n<</Root 1 0 R>>\n%%EOF`, 'latin1')
}
