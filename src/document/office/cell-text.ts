import { attributeValue, scanXml } from './xml-scan.ts'
import type { Archive } from './zip-archive.ts'

/** What a cell shows, on one line: by its type (`s`, `n`, `b`, …), the number of its style, and its stored value. */
export type CellReader = (type: string, style: number, value: string) => string

/** Shared texts of the cells, and the styles that mark numbers as dates. */
export function cellReader(archive: Archive, startsIn1904: boolean): CellReader {
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
