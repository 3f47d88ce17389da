import { posix } from 'node:path'
import { missingParts, partsOutside } from '../missing-parts.ts'
import { ReadingFault, type ReadingLimits } from '../reading-limits.ts'
import { sheetText } from './sheet-text.ts'
import { attributeValue, scanXml } from './xml-scan.ts'
import { type Archive, openArchive } from './zip-archive.ts'

/** The sheets of an xlsx in their order, tabs between cells. Where the limit is reached, the text names what is left out. */
export function spreadsheetText(
  bytes: Uint8Array,
  limits: ReadingLimits,
): { readonly text: string; readonly sheets: readonly string[] } {
  const archive = openArchive(bytes, limits)
  const { sheets, names, startsIn1904 } = workbook(archive)
  const missing = missingParts()
  const read = cellReader(archive, startsIn1904)
  const written: string[] = []
  let room = limits.characters
  let rows = 0
  for (const sheet of sheets) {
    const sheetWriter = sheetText(sheet.name, room)
    const xml = archive.textOf(sheet.part) ?? ''
    eachRow(xml, read, sheetWriter.row)
    const part = sheetWriter.end()
    written.push([part.text, ...printedLines(xml)].join('\n'))
    for (const [what, pattern] of Object.entries(BESIDE_CELLS)) missing.add(what, xml.match(pattern)?.length ?? 0)
    room -= part.text.length + 2
    rows += part.rows
  }
  const outside = partsOutside(archive, missing.add, outsideTheCells, KNOWN_PARTS)
  if (rows === 0 && outside.length === 0) throw new ReadingFault('empty', 'all cells of the spreadsheet are empty')
  // A sheet of its own, so that it is found by that name and no row of another.
  const beside = [...names, ...outside]
  if (beside.length > 0) written.push(`# ${BESIDE}`, ...beside)
  return {
    text: [...written, ...missing.note()].join('\n\n'),
    sheets: [...sheets.map(({ name }) => name), ...(beside.length > 0 ? [BESIDE] : [])],
  }
}

const BESIDE = '(beside the cells)'

const outsideTheCells = {
  comments: {
    names: /^xl\/(?:comments\/|threadedComments\/)?(?:comments?|threadedComment)\d*\.xml$/,
    each: /<(?:\w+:)?comment\s/g,
    hasWords: true,
  },
  charts: { names: /^xl\/charts\/chart(?:Ex)?\d*\.xml$/, hasWords: true },
  diagrams: { names: /^xl\/diagrams\/data\d*\.xml$/, hasWords: true },
  'text boxes': { names: /^xl\/drawings\/drawing\d*\.xml$/, each: /<(?:\w+:)?txBody[\s>]/g, hasWords: true },
  images: { names: /^xl\/media\/./ },
  'embedded objects': { names: /^xl\/embeddings\/./ },
  macros: { names: /^xl\/(?:vbaProject\.bin|macrosheets\/.*\.xml)$/ },
} as const

const BESIDE_CELLS = { links: /<(?:\w+:)?hyperlink\s/g, 'rules for input': /<(?:\w+:)?dataValidation\s/g }

/** Parts that are read with the cells, or that only say how a workbook looks, works or is connected. */
const KNOWN_PARTS =
  /^xl\/(?:(?:workbook|sharedStrings|styles|calcChain|metadata|connections|volatileDependencies|xmlMaps|attachedToolbars)\d*\.(?:xml|bin)|vbaProject\w+\.bin|(?:worksheets|chartsheets|dialogsheets|theme|printerSettings|drawings|charts|diagrams|persons|pivotTables|pivotCache|tables|ctrlProps|activeX|customProperty|externalLinks|queryTables|richData|slicers|slicerCaches|timelines|timelineCaches|model|revisions|webextensions|featurePropertyBag|namedSheetViews|customData)\/)/

/** What is printed above and below a sheet, without the codes for pages, dates and fonts. */
function printedLines(xml: string): readonly string[] {
  return Array.from(xml.matchAll(/<(?:\w+:)?(odd|even|first)(Header|Footer)>([^<]*)</g), ([, , place, written]) => {
    let words = ''
    scanXml(`${written}<`, { text: (text) => void (words = text) })
    words = oneLine(words.replaceAll(/&(?:"[^"]*"|\d+|K[\dA-F]{6}|[A-Z])/g, ' ')).replaceAll(/ {2,}/g, ' ')
    return words === '' ? '' : `(${place!.toLowerCase()}: ${words})`
  }).filter((line) => line !== '')
}

interface Sheet {
  readonly name: string
  readonly part: string
}

/** The sheets of a workbook in their order, its names for cells, and whether its days are counted from 1904. */
function workbook(archive: Archive) {
  const part = archive.names.find((name) => /^xl\/workbook\d*\.xml$/.test(name))
  const xml = part === undefined ? undefined : archive.textOf(part)
  if (part === undefined || xml === undefined) throw new ReadingFault('broken', 'the file contains no workbook')
  const targets = relations(archive, part)
  const sheets: Sheet[] = []
  const names: string[] = []
  let startsIn1904 = false
  let named: string | undefined
  scanXml(xml, {
    open(name, attributes) {
      const label = name === 'definedName' ? attributeValue(attributes, 'name') : undefined
      // Hidden ones and those of the program are its own, such as the area to print.
      const isOwn = label?.startsWith('_xlnm.') || /^(?:1|true)$/.test(attributeValue(attributes, 'hidden') ?? '')
      named = isOwn ? undefined : label
      if (name === 'workbookPr') startsIn1904 = /^(?:1|true)$/.test(attributeValue(attributes, 'date1904') ?? '')
      const target = name === 'sheet' ? targets.get(attributeValue(attributes, String.raw`\w+:id`) ?? '') : undefined
      const title = attributeValue(attributes, 'name') ?? ''
      if (target !== undefined) sheets.push({ name: title.replace(/\s+/g, ' ').toWellFormed(), part: target })
    },
    close: () => void (named = undefined),
    text: (text) => void (named !== undefined && names.push(oneLine(`- ${named} = ${text}`))),
  })
  return { sheets, names: names.length === 0 ? [] : [`names:\n${names.join('\n')}`], startsIn1904 }
}

function relations(archive: Archive, part: string): ReadonlyMap<string, string> {
  const folder = posix.dirname(part)
  const targets = new Map<string, string>()
  scanXml(archive.textOf(`${folder}/_rels/${posix.basename(part)}.rels`) ?? '', {
    open(name, attributes) {
      const [id, target] = [attributeValue(attributes, 'Id'), attributeValue(attributes, 'Target')]
      if (name !== 'Relationship' || id === undefined || target === undefined) return
      targets.set(id, target.startsWith('/') ? target.slice(1) : posix.join(folder, target))
    },
  })
  return targets
}

/** As many columns as a sheet can have. */
const mostColumns = 16_384

/** Calls back for each row with a value: its number from 1, and its cells from the first column to the last one used. */
function eachRow(xml: string, read: CellReader, tell: (row: number, cells: readonly string[]) => void): void {
  let row = 0
  let cells: string[] = []
  let cell = newCell('', -1, '', 0)
  let target: 'value' | 'formula' | undefined
  let aloud = 0
  /** The text of a shared formula, and the address of the first of its cells, which alone has it. */
  const shared = new Map<string, { readonly text: string; readonly address: string }>()
  const cellText = ({ address, type, style, value, formula, hasFormula, hasValue, group }: typeof cell): string => {
    if (formula !== '' && group !== '') shared.set(group, { text: formula, address })
    // A formula whose value is an empty text has that value stored.
    if (!hasFormula || value.trim() !== '' || (type === 'str' && hasValue)) return read(type, style, value)
    if (formula.trim() !== '') return oneLine(`=${formula}`)
    const first = shared.get(group)
    return first === undefined ? '=(a formula without text)' : oneLine(`=${first.text} (filled from ${first.address})`)
  }
  scanXml(xml, {
    open(name, attributes) {
      if (name === 'row') {
        row = Number(attributeValue(attributes, 'r') ?? row + 1)
        cells = []
        cell.column = -1
      } else if (name === 'c') {
        const address = attributeValue(attributes, 'r') ?? ''
        const column = columnNumber(address) ?? cell.column + 1
        const style = Number(attributeValue(attributes, 's') ?? 0)
        const type = attributeValue(attributes, 't') ?? 'n'
        cell = newCell(address, column, type, style)
      } else if (name === 'rPh') aloud += 1
      else if (name === 'f') {
        cell.hasFormula = true
        cell.group = attributeValue(attributes, 'si') ?? ''
      } else if (name === 'v') cell.hasValue = true
      // Cells contain a value `v`, or a text `is` with runs `t` and their pronunciation. A formula `f` stands for a missing value.
      target = name === 'f' ? 'formula' : name === 'v' || (name === 't' && aloud === 0) ? 'value' : undefined
    },
    close(name) {
      target = undefined
      if (name === 'rPh') aloud -= 1
      if (name === 'c' && cell.column < mostColumns) put(cells, cell.column, cellText(cell))
      if (name === 'row' && cells.length > 0) tell(row, cells)
    },
    text: (text) => void (target && (cell[target] += text)),
  })
}

function newCell(address: string, column: number, type: string, style: number) {
  return { address, column, type, style, value: '', formula: '', hasFormula: false, hasValue: false, group: '' }
}

function put(cells: string[], column: number, text: string): void {
  if (text === '') return
  while (cells.length < column) cells.push('')
  cells[column] = text
}

/** `B7` is column 1, counted from 0. */
function columnNumber(address: string | undefined): number | undefined {
  const letters = /^[A-Z]{1,3}/.exec(address ?? '')?.[0]
  if (letters === undefined) return undefined
  let column = 0
  for (let at = 0; at < letters.length; at += 1) column = column * 26 + letters.charCodeAt(at) - 64
  return column - 1
}

/** What a cell shows, on one line: by its type (`s`, `n`, `b`, …), the number of its style, and its stored value. */
type CellReader = (type: string, style: number, value: string) => string

/** Shared texts of the cells, and the styles that mark numbers as dates. */
function cellReader(archive: Archive, startsIn1904: boolean): CellReader {
  const texts = sharedTexts(archive.textOf('xl/sharedStrings.xml') ?? '')
  const dates = dateStyles(archive.textOf('xl/styles.xml') ?? '')
  return (type, style, value) => {
    if (type === 's') return oneLine(texts[Number(value)] ?? '')
    if (type === 'b') return value === '1' ? 'TRUE' : value === '0' ? 'FALSE' : ''
    if (type !== 'n') return oneLine(value)
    const number = Number(value)
    if (value.trim() === '' || !Number.isFinite(number)) return oneLine(value)
    return (dates.has(style) ? dateText(number, startsIn1904) : undefined) ?? String(number)
  }
}

function sharedTexts(xml: string): readonly string[] {
  const texts: string[] = []
  let inText = false
  let aloud = 0
  scanXml(xml, {
    open(name) {
      if (name === 'si') texts.push('')
      // The pronunciation of a text is beside it and is not shown.
      if (name === 'rPh') aloud += 1
      inText = name === 't' && aloud === 0
    },
    close(name) {
      if (name === 'rPh') aloud -= 1
      inText = false
    },
    text(text) {
      if (inText && texts.length > 0) texts[texts.length - 1] += text
    },
  })
  return texts
}

function dateStyles(xml: string): ReadonlySet<number> {
  const custom = new Map<number, string>()
  const dates = new Set<number>()
  let inCells = false
  let style = 0
  scanXml(xml, {
    open(name, attributes) {
      const format = Number(attributeValue(attributes, 'numFmtId') ?? 0)
      if (name === 'cellXfs') inCells = true
      if (name === 'numFmt') custom.set(format, attributeValue(attributes, 'formatCode') ?? '')
      if (name !== 'xf' || !inCells) return
      if (isDateFormat(format, custom.get(format))) dates.add(style)
      style += 1
    },
    close: (name) => void (name === 'cellXfs' && (inCells = false)),
  })
  return dates
}

/** Tabs and line ends separate cells and rows, so a cell contains none. `_x000D_` is how a workbook writes a line end. */
function oneLine(text: string): string {
  return text
    .replace(/_x([0-9A-F]{4})_/gi, (_, code) => String.fromCharCode(Number.parseInt(code, 16)))
    .replace(/[\t\r\n]+/g, ' ')
    .trim()
}

/** Formats that every workbook knows by their numbers, in all languages. */
const builtIn = [
  [14, 22],
  [27, 36],
  [45, 47],
  [50, 58],
] as const

/** Whether numbers in this format are days and times: a known one, or one whose code speaks of years, days or hours. */
function isDateFormat(format: number, code: string | undefined): boolean {
  if (code === undefined) return builtIn.some(([from, to]) => format >= from && format <= to)
  const [first = ''] = code.split(';')
  // Quoted and escaped text, and colours in brackets, are irrelevant; `[h]` counts hours, which is a duration.
  return /[ydhs]|m{1,4}/i.test(first.replace(/"[^"]*"|\\.|_.|\*.|\[[^\]]*\]|General/gi, ''))
}

const dayMs = 86_400_000

/** `2024-01-31`, with `13:45:00` where there is a time, or the time alone; nothing where no calendar has the number. */
function dateText(serial: number, startsIn1904: boolean): string | undefined {
  // Day 60 is a 29 February 1900 that never was: days before it are one later than they seem.
  const days = startsIn1904 ? serial + 1462 : serial < 60 ? serial + 1 : serial
  if (serial < 0 || days > 2_958_466) return undefined
  const at = new Date(Math.round(((days - 25_569) * dayMs) / 1000) * 1000).toISOString()
  const [date, time] = [at.slice(0, 10), at.slice(11, 19)]
  if (serial < 1 && !startsIn1904) return time
  return time === '00:00:00' ? date : `${date} ${time}`
}
