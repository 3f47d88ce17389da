import assert from 'node:assert/strict'
import test from 'node:test'
import { headingStyles, paragraph, table, wordFile } from './files/word-file.ts'
import { zipFile } from './files/zip-file.ts'
import { codeOf, read, textOf } from './read.ts'

test('a docx gives its headings, paragraphs and tables as Markdown', async () => {
  const body = [
    paragraph('Annual report', 'Heading1'),
    paragraph('Costs rose by 5 % &amp; more.'),
    paragraph('Figures', 'Heading2'),
    table([
      ['Year', 'Costs'],
      ['2024', '10|20'],
    ]),
  ]
  const properties = {
    name: 'docProps/core.xml',
    content:
      '<p:coreProperties xmlns:dc="x"><dc:title>Report &amp; figures</dc:title><dc:creator>A. Nobody</dc:creator></p:coreProperties>',
  }
  assert.deepEqual(await read(wordFile(body.join(''), [headingStyles, properties]), 'a'), {
    kind: 'text',
    text: '# Annual report\n\nCosts rose by 5 % & more.\n\n## Figures\n\n| Year | Costs |\n| --- | --- |\n| 2024 | 10\\|20 |',
    title: 'Report & figures',
    mediaType: 'application/vnd.openxmlformats-officedocument.wordprocessingml.document',
  })
})

test('what was deleted under change tracking is not read, what was inserted is', async () => {
  const tracked =
    '<w:p><w:del><w:r><w:delText>old</w:delText></w:r></w:del><w:ins><w:r><w:t>new</w:t></w:r></w:ins></w:p>'
  assert.equal(await textOf(wordFile(tracked), 'a'), 'new\n\n(not in this text: 1 × tracked deletions)')
})

/** A paragraph with a formula in the language of Word. */
const formula = (math: string) =>
  wordFile(`<w:p><m:oMath>${math}</m:oMath></w:p>`.replace('<m:oMath>', '<m:oMath xmlns:m="m">'))
const run = (text: string) => `<m:r><m:t>${text}</m:t></m:r>`
const of = (name: string, text: string) => `<m:${name}>${run(text)}</m:${name}>`

test('a formula is read as TeX, in its place and as a paragraph of its own', async () => {
  const math = `<m:oMath xmlns:m="m"><m:f>${of('num', '17')}${of('den', '4')}</m:f></m:oMath>`
  const body = `<w:p>${words('It is ')}${math}${words(' metres.')}</w:p><w:p><m:oMathPara xmlns:m="m">${math}</m:oMathPara></w:p>`
  assert.equal(await textOf(wordFile(body), 'a'), 'It is $\\frac{17}{4}$ metres.\n\n$$\\frac{17}{4}$$')
})

for (const [math, tex] of [
  [`<m:f><m:fPr><m:type m:val="lin"/></m:fPr>${of('num', 'a')}${of('den', 'b')}</m:f>`, '{a}/{b}'],
  [`<m:rad><m:radPr><m:degHide m:val="1"/></m:radPr><m:deg/>${of('e', 'x')}</m:rad>`, '\\sqrt{x}'],
  [`<m:rad>${of('deg', '3')}${of('e', 'x')}</m:rad>`, '\\sqrt[3]{x}'],
  [`<m:sSup>${of('e', 'x')}${of('sup', '2')}</m:sSup>`, '{x}^{2}'],
  [`<m:sSubSup>${of('e', 'x')}${of('sub', 'i')}${of('sup', '2')}</m:sSubSup>`, '{x}_{i}^{2}'],
  [`<m:sPre>${of('sub', '6')}${of('sup', '14')}${of('e', 'C')}</m:sPre>`, '{}_{6}^{14}{C}'],
  [
    `<m:nary><m:naryPr><m:chr m:val="∑"/></m:naryPr>${of('sub', 'i=1')}${of('sup', 'n')}${of('e', 'i')}</m:nary>`,
    '\\sum_{i=1}^{n}{i}',
  ],
  [`<m:nary>${of('e', 'x')}</m:nary>`, '\\int{x}'],
  [`<m:func>${of('fName', 'sin')}${of('e', 'α')}</m:func>`, '\\sin{α}'],
  [`<m:func>${of('fName', 'sgn')}${of('e', 'x')}</m:func>`, '\\operatorname{sgn}{x}'],
  [
    `<m:func><m:fName><m:limLow>${of('e', 'lim')}${of('lim', 'x→0')}</m:limLow></m:fName>${of('e', 'x')}</m:func>`,
    '\\lim_{x→0}{x}',
  ],
  [`<m:d>${of('e', 'a')}${of('e', 'b')}</m:d>`, '\\left( a | b \\right)'],
  [
    `<m:d><m:dPr><m:begChr m:val="{"/><m:endChr m:val=""/></m:dPr><m:e><m:eqArr>${of('e', 'a')}${of('e', 'b')}</m:eqArr></m:e></m:d>`,
    '\\left\\{ \\begin{aligned} a \\\\ b \\end{aligned} \\right.',
  ],
  [
    `<m:m><m:mr>${of('e', 'a')}${of('e', 'b')}</m:mr><m:mr>${of('e', 'c')}${of('e', 'd')}</m:mr></m:m>`,
    '\\begin{matrix} a & b \\\\ c & d \\end{matrix}',
  ],
  [`<m:acc>${of('e', 'x')}</m:acc>`, '\\hat{x}'],
  [`<m:acc><m:accPr><m:chr m:val="⃗"/></m:accPr>${of('e', 'v')}</m:acc>`, '\\vec{v}'],
  [`<m:bar><m:barPr><m:pos m:val="top"/></m:barPr>${of('e', 'x')}</m:bar>`, '\\overline{x}'],
  [`<m:groupChr>${of('e', 'x')}</m:groupChr>`, '\\underbrace{x}'],
  [`<m:borderBox>${of('e', 'x')}</m:borderBox>`, '\\boxed{x}'],
  ['<m:r><m:rPr><m:nor/></m:rPr><m:t>if </m:t></m:r>' + run('50 %'), '\\text{if }50 \\%'],
  [`<w:del>${run('old')}</w:del><w:ins>${run('new')}</w:ins>`, 'new'],
] as const) {
  test(`a formula is read as ${tex}`, async () => assert.equal(await textOf(formula(math), 'a'), `$${tex}$`))
}

const words = (text: string) => `<w:r><w:t xml:space="preserve">${text}</w:t></w:r>`

test('what a docx has beside its text, and elements that are not known, are counted in a last line', async () => {
  const body = `<w:p>${words('Hello.')}<w:newThing><w:r><w:t>lost</w:t></w:r></w:newThing><m:oMath xmlns:m="m"><m:odd>${run('x')}</m:odd></m:oMath></w:p>`
  const more = [
    { name: 'word/comments.xml', content: '<w:comments><w:comment w:id="1"/><w:comment w:id="2"/></w:comments>' },
    { name: 'word/header1.xml', content: `<w:hdr><w:p>${words('Draft')}</w:p></w:hdr>` },
    { name: 'word/footer1.xml', content: '<w:ftr><w:p/></w:ftr>' },
    { name: 'word/charts/chart1.xml', content: '<c/>' },
  ]
  assert.equal(
    await textOf(wordFile(body, more), 'a'),
    'Hello.$x$\n\nheaders and footers:\n- Draft\n\n(not in this text: 2 × comments, 1 × charts, 1 × m:odd, of which the text is kept, 1 × w:newThing)',
  )
})

for (const [what, body, name, content, expected] of [
  [
    'a comment',
    '',
    'word/comments.xml',
    `<w:comments><w:comment w:id="1"><w:p>${words('Why?')}</w:p></w:comment></w:comments>`,
    'comments:\n- Why?',
  ],
  ['a footer', '', 'word/footer1.xml', `<w:ftr><w:p>${words('Draft')}</w:p></w:ftr>`, 'headers and footers:\n- Draft'],
  [
    'a logo above the page',
    '',
    'word/header1.xml',
    '<w:hdr><w:p><w:r><w:drawing></w:drawing></w:r></w:p></w:hdr>',
    '(not in this text: 1 × headers and footers)',
  ],
  [
    'a chart',
    '',
    'word/charts/chart1.xml',
    '<c:chart><a:p><a:t>Sales</a:t></a:p><c:pt><c:v>7</c:v></c:pt></c:chart>',
    'charts:\n- Sales\n- 7',
  ],
  ['a diagram', '', 'word/diagrams/data1.xml', '<d:pt><a:p><a:t>Step 1</a:t></a:p></d:pt>', 'diagrams:\n- Step 1'],
  ['an embedded object', '', 'word/embeddings/oleObject1.bin', 'x', '(not in this text: 1 × embedded objects)'],
  ['a macro', '', 'word/vbaProject.bin', 'x', '(not in this text: 1 × macros)'],
  [
    'a part that nobody knows',
    '',
    'word/holograms/hologram1.xml',
    '<h/>',
    '(not in this text: 1 × parts of unknown kind)',
  ],
  ['a part of the looks', '', 'word/theme/theme1.xml', '<h/>', ''],
  [
    'a symbol of an unknown font',
    '<w:r><w:sym w:font="Odd" w:char="F0FF"/></w:r>',
    'a.xml',
    '',
    '(not in this text: 1 × symbols)',
  ],
  [
    'a deletion',
    '<w:del><w:r><w:delText>old</w:delText></w:r></w:del>',
    'a.xml',
    '',
    '(not in this text: 1 × tracked deletions)',
  ],
  [
    'a controlled content',
    `<w:sdt><w:sdtContent>${words(' and more')}</w:sdtContent></w:sdt>`,
    'a.xml',
    '',
    ' and more',
  ],
  [
    'a text box',
    `<w:r><w:pict><v:shape xmlns:v="urn:schemas-microsoft-com:vml"><v:textbox><w:txbxContent><w:p>${words('Boxed')}</w:p></w:txbxContent></v:textbox></v:shape></w:pict></w:r>`,
    'a.xml',
    '',
    'Boxed',
  ],
  ['a power', `<w:r><w:rPr><w:vertAlign w:val="superscript"/></w:rPr><w:t>2</w:t></w:r>`, 'a.xml', '', '^2'],
] as const) {
  test(`of a docx, ${what} is read or counted`, async () => {
    const said = await textOf(wordFile(`<w:p>${words('x')}${body}</w:p>`, [{ name, content }]), 'a')
    assert.equal(said.replaceAll(/^x\s*|\s{2,}x$/g, ''), expected.trim())
  })
}

test('fields, text in another direction and readings beside a text keep their words', async () => {
  const ruby = `<w:r><w:ruby><w:rubyPr><w:hps/></w:rubyPr><w:rt>${words('kan')}</w:rt><w:rubyBase>${words('漢')}</w:rubyBase></w:ruby></w:r>`
  const body = `<w:p><w:fldSimple w:instr=" REF a ">${words('Table 1')}</w:fldSimple><w:bdo w:val="rtl">${words(' b')}</w:bdo>${ruby}</w:p>`
  assert.equal(await textOf(wordFile(body), 'a'), 'Table 1 b漢')
})

test('a docx without text is empty; with images alone it has no text', async () => {
  assert.equal(await textOf(wordFile(''), 'a'), 'empty: the document contains no text')
  const image = { name: 'word/media/image1.png', content: 'x' }
  assert.equal(await textOf(wordFile('', [image]), 'a'), 'no-text: the document contains images and no text')
})

test('a truncated or damaged docx is broken', async () => {
  const whole = wordFile(paragraph('Hello. '.repeat(100)))
  for (const share of [0.1, 0.5, 0.9, 0.99]) {
    // oxlint-disable-next-line no-await-in-loop -- one after another reads better when it fails
    assert.equal(await codeOf(whole.subarray(0, Math.floor(whole.length * share)), 'a'), 'broken', `${share}`)
  }
  const damaged = Buffer.from(whole)
  damaged.fill(0x55, 400, 420)
  assert.equal(await codeOf(damaged, 'a'), 'broken')
  assert.equal(await codeOf(wordFile('<w:p><w:r>'), 'a'), 'broken')
  assert.equal(await codeOf(zipFile([{ name: 'word/document.xml', content: 'no XML' }]), 'a'), 'broken')
})

test('a bomb that says how large it is is not unpacked', async () => {
  const zeros = Buffer.alloc(40 * 2 ** 20)
  const bomb = wordFile(paragraph('x'), [{ name: 'word/zeros.xml', content: zeros }])
  assert.match(
    await textOf(bomb, 'a', { limits: { unpackedBytes: 20 * 2 ** 20 } }),
    /^too-large: its parts have 40 MiB; at most 20 MiB are unpacked$/,
  )
})

test('a bomb that lies about its size is unpacked no further than it says', async () => {
  const zeros = Buffer.alloc(40 * 2 ** 20)
  const bomb = wordFile(paragraph('x'), [{ name: 'word/zeros.xml', content: zeros, declared: 1000 }])
  assert.equal(await textOf(bomb, 'a'), 'too-large: a part of it is larger than the 1,000 bytes that it declares')
})

test('too many parts are refused with the numbers', async () => {
  const parts = Array.from({ length: 200 }, (_, index) => ({ name: `word/${index}.xml`, content: '' }))
  assert.match(
    await textOf(wordFile('', parts), 'a', { limits: { parts: 100 } }),
    /^too-large: it has 203 parts; at most 100/,
  )
})

test('tables within tables without end are refused, and nothing overflows', async () => {
  const depth = 20_000
  const nested = '<w:tbl><w:tr><w:tc>'.repeat(depth) + paragraph('x') + '</w:tc></w:tr></w:tbl>'.repeat(depth)
  assert.equal(await textOf(wordFile(nested), 'a'), 'broken: its parts are nested too deeply to be read')
})
