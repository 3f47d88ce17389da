import assert from 'node:assert/strict'
import test from 'node:test'
import { spreadsheetFile } from './files/spreadsheet-file.ts'
import { codeOf, read, textOf } from './read.ts'

const cell = (address: string, value: string | number, more = '') => `<c r="${address}"${more}><v>${value}</v></c>`
const row = (number: number, ...cells: readonly string[]) => `<row r="${number}">${cells.join('')}</row>`

test('a spreadsheet gives its sheets in their order, tabs between cells', async () => {
  const file = spreadsheetFile(
    [
      {
        name: 'Costs &amp; more',
        rows: row(1, cell('A1', 0, ' t="s"'), cell('C1', 12.5)) + row(2, cell('B2', 1, ' t="b"')),
      },
      { name: 'Notes', rows: row(1, '<c r="A1" t="inlineStr"><is><t>two\tlines\nhere</t></is></c>') },
    ],
    { texts: ['<r><t>Ye</t></r><r><t>ar</t></r><rPh><t>aloud</t></rPh>'] },
  )
  assert.deepEqual(await read(file, 'a'), {
    kind: 'table',
    text: '# Costs & more\n\nYear\t\t12.5\n\tTRUE\n\n# Notes\n\ntwo lines here',
    sheets: ['Costs & more', 'Notes'],
    mediaType: 'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet',
  })
})

test('numbers that are shown as days and times are read as such', async () => {
  const styles =
    '<numFmts><numFmt numFmtId="164" formatCode="dd\\.mm\\.yyyy"/><numFmt numFmtId="165" formatCode="0.00&quot; days&quot;"/></numFmts>' +
    '<cellStyleXfs><xf numFmtId="14"/></cellStyleXfs><cellXfs><xf numFmtId="0"/><xf numFmtId="14"/><xf numFmtId="164"/><xf numFmtId="165"/><xf numFmtId="20"/></cellXfs>'
  const rows = row(
    1,
    cell('A1', 45_322, ' s="0"'),
    cell('B1', 45_322, ' s="1"'),
    cell('C1', 45_322.572_916_666_7, ' s="2"'),
    cell('D1', 45_322, ' s="3"'),
    cell('E1', 0.5, ' s="4"'),
    cell('F1', 1, ' s="1"'),
    cell('G1', 61, ' s="1"'),
  )
  assert.equal(
    await textOf(spreadsheetFile([{ name: 'S', rows }], { styles }), 'a'),
    '# S\n\n45322\t2024-01-31\t2024-01-31 13:45:00\t45322\t12:00:00\t1900-01-01\t1900-03-01',
  )
  const since1904 = { styles, properties: '<workbookPr date1904="1"/>' }
  assert.equal(
    await textOf(spreadsheetFile([{ name: 'S', rows: row(1, cell('A1', 43_860, ' s="1"')) }], since1904), 'a'),
    '# S\n\n2024-01-31',
  )
})

test('a cell far away makes no table of nothing', async () => {
  const rows = row(1, cell('A1', 1)) + row(1_048_576, cell('B1048576', 2), '<c r="XFD1048576" s="1"/>')
  assert.equal(await textOf(spreadsheetFile([{ name: 'S', rows }]), 'a'), '# S\n\n1\n\n\t2')
})

test('a spreadsheet above the limit is cut, and says how much is left out', async () => {
  const rows = Array.from({ length: 1000 }, (_, index) => row(index + 1, cell(`A${index + 1}`, index))).join('')
  const text = await textOf(spreadsheetFile([{ name: 'S', rows }]), 'a', { limits: { characters: 500 } })
  assert.ok(text.length <= 500)
  const shown = text.split('\n').length - 4
  assert.match(text, new RegExp(`\n\n\\(${1000 - shown} more rows of this sheet are left out\\)$`))
})

test('a spreadsheet without a value is empty', async () => {
  assert.equal(
    await textOf(spreadsheetFile([{ name: 'S', rows: '<row r="1"><c r="A1" s="1"/></row>' }]), 'a'),
    'empty: all cells of the spreadsheet are empty',
  )
})

test('a spreadsheet that is truncated or declares entities does no harm', async () => {
  const rows = row(1, cell('A1', 1))
  const whole = spreadsheetFile([{ name: 'S', rows }])
  assert.equal(await codeOf(whole.subarray(0, whole.length - 40), 'a'), 'broken')
  const laughs = '<!DOCTYPE x [<!ENTITY a "ha"><!ENTITY b "&a;&a;">]>' + row(1, '<c r="A1" t="str"><v>&b;</v></c>')
  assert.equal(await textOf(spreadsheetFile([{ name: 'S', rows: laughs }]), 'a'), '# S\n\n&b;')
})

test('CSV and TSV are spreadsheets of one sheet, whatever divides their cells', async () => {
  const sheet = (text: string, name: string) => ({
    kind: 'table',
    text: `# ${name.replace(/\.\w+$/, '')}\n\n${text}`,
    sheets: [name.replace(/\.\w+$/, '')],
    mediaType: /tsv/i.test(name) ? 'text/tab-separated-values' : 'text/csv',
  })
  for (const [file, name, text] of [
    ['day,height\r\n1,4.2\r\n', 'tides.csv', 'day\theight\n1\t4.2'],
    ['\ufeffday;height\n1;"4,2"\n', 'tides.csv', 'day\theight\n1\t4,2'],
    ['sep=|\nday|height\n1|4,2\n', 'tides.csv', 'day\theight\n1\t4,2'],
    ['sep=;\na,b\n1,2;3,4\n', 'tides.csv', 'a,b\n1,2\t3,4'],
    ['day\theight\n1\t4,2;3', 'Tides.TSV', 'day\theight\n1\t4,2;3'],
    ['a,b\n"x ""y"", z","two\nlines"\n,\n\n1,2\n', 'q.csv', 'a\tb\nx "y", z\ttwo lines\n\n1\t2'],
    ['a,"b\n1,"2" inch\n', 'q.csv', 'a\t"b\n1\t"2" inch'],
    ['a,"b "c",d\n', 'q.csv', 'a\t"b "c"\td'],
    ['alone\n', 'q.csv', 'alone'],
  ] as const) {
    assert.deepEqual(await read(file, name), sheet(text, name), JSON.stringify(file))
  }
  assert.equal(await codeOf(',,\n , \n', 'blank.csv'), 'empty')
  const long = Array.from({ length: 5_000 }, (_, index) => `${index},"${'x'.repeat(20)}"`).join('\n')
  assert.match(
    await textOf(long, 'long.csv', { limits: { characters: 5_000 } }),
    /\n\(4,\d\d\d more rows of this sheet are left out\)$/,
  )
})

test('a formula whose value is not stored is shown as the formula', async () => {
  const rows = [
    '<row r="1"><c r="A1"><f>SUM(B1:B3)</f></c><c r="B1"><f>B2*2</f><v></v></c><c r="C1"><f>1+1</f><v>2</v></c></row>',
    '<row r="2"><c r="A2" t="str"><f>IF(A1,"","")</f><v></v></c><c r="B2" t="str"><f>A1&amp;"x"</f></c></row>',
    '<row r="3"><c r="A3"><f t="shared" ref="A3:A4" si="0">B3+1</f></c></row>',
    '<row r="4"><c r="A4"><f t="shared" si="0"/></c><c r="B4"><f t="dataTable" ref="B4"/></c></row>',
  ]
  assert.equal(
    await textOf(spreadsheetFile([{ name: 'A', rows: rows.join('') }]), 'a'),
    '# A\n\n=SUM(B1:B3)\t=B2*2\t2\n\t=A1&"x"\n=B3+1\n=B3+1 (filled from A3)\t=(a formula without text)',
  )
})

test('a text within a cell has no pronunciation, and what is beside the cells is counted', async () => {
  const rows =
    '<row r="1"><c r="A1" t="inlineStr"><is><r><t>漢</t></r><rPh sb="0" eb="1"><t>kan</t></rPh><t>字</t></is></c></row>'
  const more = [
    { name: 'xl/comments1.xml', content: '<comments><comment ref="A1"/><comment ref="A2"/></comments>' },
    { name: 'xl/charts/chart1.xml', content: '<c/>' },
  ]
  assert.equal(
    await textOf(spreadsheetFile([{ name: 'A', rows }], {}, more), 'a'),
    '# A\n\n漢字\n\n(not in this text: 2 × comments, 1 × charts)',
  )
})

for (const [what, name, content, expected] of [
  [
    'a comment',
    'xl/comments1.xml',
    '<comments><comment ref="B2"><text><r><t>Why</t></r><r><t>?</t></r></text></comment></comments>',
    '# (beside the cells)\n\ncomments:\n- B2: Why?',
  ],
  [
    'a thread',
    'xl/threadedComments/threadedComment1.xml',
    '<T><threadedComment ref="A1"><text>Sure</text></threadedComment></T>',
    '# (beside the cells)\n\ncomments:\n- A1: Sure',
  ],
  [
    'the repetition of a thread',
    'xl/comments2.xml',
    '<comments><comment ref="A1"><text><t>[Threaded comment] …</t></text></comment></comments>',
    '(not in this text: 1 × comments)',
  ],
  [
    'a chart',
    'xl/charts/chart1.xml',
    '<c><a:p><a:t>Sales</a:t></a:p><c:pt><c:v>Q1</c:v></c:pt></c>',
    '# (beside the cells)\n\ncharts:\n- Sales\n- Q1',
  ],
  [
    'a text box',
    'xl/drawings/drawing1.xml',
    '<x><xdr:txBody><a:p><a:r><a:t>Note</a:t></a:r></a:p></xdr:txBody></x>',
    '# (beside the cells)\n\ntext boxes:\n- Note',
  ],
  ['a drawing without words', 'xl/drawings/drawing1.xml', '<x/>', ''],
  ['a diagram', 'xl/diagrams/data1.xml', '<a:p><a:t>Step</a:t></a:p>', '# (beside the cells)\n\ndiagrams:\n- Step'],
  ['an image', 'xl/media/image1.png', 'x', '(not in this text: 1 × images)'],
  ['an embedded object', 'xl/embeddings/a.docx', 'x', '(not in this text: 1 × embedded objects)'],
  ['a macro', 'xl/vbaProject.bin', 'x', '(not in this text: 1 × macros)'],
  ['a part that nobody knows', 'xl/holograms/hologram1.xml', '<h/>', '(not in this text: 1 × parts of unknown kind)'],
] as const) {
  test(`of a spreadsheet, ${what} is read or counted`, async () => {
    const rows = '<row r="1"><c r="A1"><v>1</v></c></row>'
    const said = await textOf(spreadsheetFile([{ name: 'A', rows }], {}, [{ name, content }]), 'a')
    assert.equal(said, ['# A\n\n1', expected].join('\n\n').trimEnd())
  })
}

test('of a spreadsheet, what is printed around a sheet and names are read; links and rules are counted', async () => {
  const rows = '<row r="1"><c r="A1" t="e"><v>#N/A</v></c><c r="B1" t="b"><v>1</v></c></row>'
  const beside =
    '</sheetData><hyperlinks><hyperlink ref="A1"/></hyperlinks><dataValidations><dataValidation sqref="A1"/></dataValidations><headerFooter><oddHeader>&amp;L&amp;"Arial,Bold"&amp;12Secret &amp;amp; dear&amp;RPage &amp;P</oddHeader></headerFooter><sheetData>'
  const properties =
    '<definedNames><definedName name="Rate">A!$A$1</definedName><definedName name="_xlnm.Print_Area">A!$A$1</definedName></definedNames>'
  assert.equal(
    await textOf(spreadsheetFile([{ name: 'A', rows: rows + beside }], { properties }), 'a'),
    '# A\n\n#N/A\tTRUE\n(header: Secret &amp; dear Page)\n\n# (beside the cells)\n\nnames:\n- Rate = A!$A$1\n\n(not in this text: 1 × links, 1 × rules for input)',
  )
})
