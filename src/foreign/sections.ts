import type { Origin } from '../context.ts'
import { defined } from '../platform.ts'
import { layerOrigins } from './recognisers/general.ts'
import type { SectionRule, TextPlace } from './recognisers/recogniser.ts'

/** A part of a text; without a layer it is what nobody recognised. All parts joined are the text. */
export interface TextSection {
  readonly text: string
  readonly layer?: string
  readonly name?: string
  readonly origin?: Origin['kind']
  /** It belongs to the section of its layer before it. */
  readonly continues?: true
}

/** The most sections of one text that are told apart. What follows on them is one part. */
const MOST_SECTIONS = 2_000

/** Characters in which words of a section are looked for. */
const SEARCHED = 4_000

/** Characters in which the name of a section is looked for. */
const NAMED = 1_000

/** Takes a text apart by rules: of those that begin at one place, the first that holds counts. Needs time in proportion to the text. */
export function sectionsOf(text: string, rules: readonly SectionRule[], place: TextPlace): readonly TextSection[] {
  const searches = rules.filter(({ where = usualPlaces }) => where.includes(place)).map((rule) => search(text, rule))
  const found: Found[] = []
  let cursor = 0
  while (found.length < MOST_SECTIONS) {
    for (const each of searches) each.moveTo(cursor)
    const at = Math.min(...searches.map((each) => each.at))
    if (at === Infinity) break
    const next = searches.find((each) => each.at === at && each.holds())
    if (next) found.push({ rule: next.rule, at, end: next.end() })
    cursor = next ? Math.max(at + next.rule.begin.length, next.end() ?? 0) : at + 1
  }
  return cut(text, found).flatMap((section) => withInner(section, place))
}

const usualPlaces: readonly TextPlace[] = ['system', 'user']

interface Found {
  readonly rule: SectionRule
  readonly at: number
  readonly end: number | undefined
}

function search(text: string, rule: SectionRule) {
  let at = -1
  let end: number | undefined
  return {
    rule,
    /** Where it begins next; infinity where it does not begin any more. */
    get at() {
      return at
    },
    moveTo(cursor: number) {
      while (at < cursor) {
        at = nextBegin(text, rule, cursor)
        if (at === Infinity || rule.end === undefined) return
        const stop = text.indexOf(rule.end, at + rule.begin.length)
        // A text without a further end has none for those that begin later, either.
        if (stop < 0) at = Infinity
        else end = stop + rule.end.length
      }
    },
    holds() {
      const begin = text.slice(at, Math.min(end ?? Infinity, at + SEARCHED))
      return (
        (rule.holds === undefined || begin.includes(rule.holds)) &&
        (rule.firstLine === undefined || rule.firstLine.test(begin.split('\n', 1)[0]!))
      )
    },
    /** Behind its end; `undefined` for one that ends where the next begins. */
    end: () => end,
  }
}

function nextBegin(text: string, { begin, whole }: SectionRule, from: number): number {
  if (whole) {
    const first = text.search(/\S/)
    return first >= from && text.startsWith(begin, first) ? first : Infinity
  }
  let at = text.indexOf(begin, from)
  while (at > 0 && text[at - 1] !== '\n') at = text.indexOf(begin, at + 1)
  return at < 0 ? Infinity : at
}

type CutSection = TextSection & { readonly rule?: SectionRule }

function cut(text: string, found: readonly Found[]): readonly CutSection[] {
  const sections: CutSection[] = []
  let cursor = 0
  for (const [index, { rule, at, end }] of found.entries()) {
    if (at > cursor) addText(sections, text.slice(cursor, at))
    cursor = end ?? (rule.whole ? text.length : (found[index + 1]?.at ?? text.length))
    sections.push(named(text.slice(at, cursor), rule))
  }
  if (cursor < text.length || sections.length === 0) addText(sections, text.slice(cursor))
  return sections
}

/** Blanks between two sections belong to the one before them, or to the first. */
function addText(sections: CutSection[], text: string): void {
  const before = sections.at(-1)
  if (before && text.trim() === '') sections[sections.length - 1] = { ...before, text: before.text + text }
  else sections.push({ text })
}

function named(text: string, rule: SectionRule): CutSection {
  const name = rule.name?.exec(text.slice(0, NAMED))?.groups?.['name']?.trim()
  const { layer, origin = layerOrigins.get(layer), continues } = rule
  return { text, layer, rule, ...defined({ origin, continues, name: name || undefined }) }
}

function withInner({ rule, ...section }: CutSection, place: TextPlace): readonly TextSection[] {
  if (!rule?.inner) return [section]
  const rules = rule.inner.map((each) => ({ ...each, where: [place] }))
  const { text: _text, ...about } = section
  return sectionsOf(section.text, rules, place).map((part) => (part.layer === undefined ? { ...about, ...part } : part))
}
