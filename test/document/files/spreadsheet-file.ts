import { type ZipPart, zipFile } from './zip-file.ts'

const office = 'http://schemas.openxmlformats.org'

export interface WrittenSheet {
  readonly name: string
  /** What stands in `sheetData`. */
  readonly rows: string
}

/** An xlsx with these sheets. `texts` are shared by cells of type `s`; `styles` is what stands in the style sheet. */
export function spreadsheetFile(
  sheets: readonly WrittenSheet[],
  {
    texts = [],
    styles = '',
    properties = '',
  }: { texts?: readonly string[]; styles?: string; properties?: string } = {},
  more: readonly ZipPart[] = [],
): Buffer {
  const relations = sheets.map(
    (_, index) =>
      `<Relationship Id="rId${index + 1}" Type="${office}/officeDocument/2006/relationships/worksheet" Target="worksheets/sheet${index + 1}.xml"/>`,
  )
  const listed = sheets.map(
    ({ name }, index) => `<sheet name="${name}" sheetId="${index + 1}" r:id="rId${index + 1}"/>`,
  )
  return zipFile([
    {
      name: 'xl/workbook.xml',
      content: `<workbook xmlns:r="${office}/officeDocument/2006/relationships">${properties}<sheets>${listed.join('')}</sheets></workbook>`,
    },
    { name: 'xl/_rels/workbook.xml.rels', content: `<Relationships>${relations.join('')}</Relationships>` },
    { name: 'xl/sharedStrings.xml', content: `<sst>${texts.map((text) => `<si>${text}</si>`).join('')}</sst>` },
    { name: 'xl/styles.xml', content: `<styleSheet>${styles}</styleSheet>` },
    ...sheets.map(({ rows }, index) => ({
      name: `xl/worksheets/sheet${index + 1}.xml`,
      content: `<worksheet><sheetData>${rows}</sheetData></worksheet>`,
    })),
    ...more,
  ])
}
