import { type ZipPart, zipFile } from './zip-file.ts'

const office = 'http://schemas.openxmlformats.org'

/** A docx with this body, in the language of Word: `paragraph`, `table`, or anything else that stands in `w:body`. */
export function wordFile(body: string, more: readonly ZipPart[] = []): Buffer {
  return zipFile([
    {
      name: '[Content_Types].xml',
      content: `<?xml version="1.0"?><Types xmlns="${office}/package/2006/content-types"><Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/><Override PartName="/word/document.xml" ContentType="application/vnd.openxmlformats-officedocument.wordprocessingml.document.main+xml"/></Types>`,
    },
    {
      name: '_rels/.rels',
      content: `<Relationships xmlns="${office}/package/2006/relationships"><Relationship Id="r1" Type="${office}/officeDocument/2006/relationships/officeDocument" Target="word/document.xml"/></Relationships>`,
    },
    {
      name: 'word/document.xml',
      content: `<?xml version="1.0"?><w:document xmlns:w="${office}/wordprocessingml/2006/main"><w:body>${body}</w:body></w:document>`,
    },
    ...more,
  ])
}

export function paragraph(text: string, style?: string): string {
  const properties = style === undefined ? '' : `<w:pPr><w:pStyle w:val="${style}"/></w:pPr>`
  return `<w:p>${properties}<w:r><w:t xml:space="preserve">${text}</w:t></w:r></w:p>`
}

export function table(rows: readonly (readonly string[])[]): string {
  const written = rows.map((row) => `<w:tr>${row.map((cell) => `<w:tc>${paragraph(cell)}</w:tc>`).join('')}</w:tr>`)
  return `<w:tbl>${written.join('')}</w:tbl>`
}

/** What Word calls headings, so that a style is more than its name. */
export const headingStyles: ZipPart = {
  name: 'word/styles.xml',
  content: `<w:styles xmlns:w="${office}/wordprocessingml/2006/main">${[1, 2].map((level) => `<w:style w:type="paragraph" w:styleId="Heading${level}"><w:name w:val="heading ${level}"/></w:style>`).join('')}</w:styles>`,
}
