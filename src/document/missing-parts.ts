import type { Archive } from './office/zip-archive.ts'
import { scanXml, attributeValue } from './office/xml-scan.ts'
import { numberText } from '../context.ts'
import { cleanText } from './character-set.ts'

/** Counts what is in a document and not in its text. */
export function missingParts() {
  const counts = new Map<string, number>()
  return {
    add: (what: string, more = 1) => void (more > 0 && counts.set(what, (counts.get(what) ?? 0) + more)),
    /** A last line for the text; none where nothing is missing. */
    note(): readonly string[] {
      if (counts.size === 0) return []
      return [`(not in this text: ${[...counts].map(([what, count]) => `${numberText(count)} × ${what}`).join(', ')})`]
    },
  }
}

interface PartsOutside {
  readonly names: RegExp
  /** Its parts are counted as often as this is found in them; each once without it. */
  readonly each?: RegExp
  /** Its words are read, and only what has none is counted. */
  readonly hasWords?: true
}

/**
 * The words in the parts of an Office file beside its body, a block for each kind. What has no words is counted, and so is
 * each part that is not in `known`.
 */
export function partsOutside(
  archive: Archive,
  add: (what: string, more?: number) => void,
  kinds: Readonly<Record<string, PartsOutside>>,
  known: RegExp,
): readonly string[] {
  const blocks = Object.entries(kinds).flatMap(([what, { names, each, hasWords }]) => {
    const lines: string[] = []
    for (const name of archive.names) {
      if (!names.test(name)) continue
      const xml = hasWords || each ? (archive.textOf(name) ?? '') : ''
      const words = hasWords ? partLines(xml) : []
      lines.push(...words)
      if (words.length === 0) add(what, each ? (xml.match(each)?.length ?? 0) : 1)
    }
    return lines.length === 0 ? [] : [`${what}:\n${[...new Set(lines)].join('\n')}`]
  })
  const isKnown = (name: string) => known.test(name) || Object.values(kinds).some(({ names }) => names.test(name))
  const folder = archive.names.filter((name) => /^(?:word|xl)\/(?!_rels\/).*[^/]$/.test(name) && !isKnown(name))
  add('parts of unknown kind', folder.filter((name) => !name.includes('/_rels/')).length)
  return blocks
}

/** Elements with words, and elements that end a line of them. */
const WORDED = new Set([
  't',
  'v',
  'text',
  'oddHeader',
  'oddFooter',
  'evenHeader',
  'evenFooter',
  'firstHeader',
  'firstFooter',
])
const LINES = new Set(['comment', 'threadedComment', 'p', 'pt'])

/** The words of a part, line by line; a comment of a sheet begins with the address of its cell. */
function partLines(xml: string): readonly string[] {
  const lines: string[] = []
  let line = ''
  let depth = 0
  let cell = ''
  const end = () => {
    const words = cleanText(line).replace(/\s+/g, ' ').trim()
    // Excel repeats a thread as a comment that says that it is one.
    if (words !== '' && !words.startsWith('[Threaded comment]')) lines.push(`- ${cell}${words}`)
    line = ''
  }
  scanXml(xml, {
    open(name, attributes) {
      if (WORDED.has(name)) depth += 1
      if (name === 'tab' || name === 'br') line += ' '
      const reference = name === 'comment' || name === 'threadedComment' ? attributeValue(attributes, 'ref') : undefined
      if (reference !== undefined) cell = `${reference}: `
    },
    close(name) {
      if (WORDED.has(name)) depth -= 1
      if (LINES.has(name)) end()
    },
    text: (text) => void (depth > 0 && (line += text)),
  })
  end()
  return lines
}
