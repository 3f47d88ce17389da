/** A place in a text that looks as if it were different at every call. */
export interface VolatileSpot {
  readonly kind: 'time' | 'id' | 'counter'
  /** The first line is 1. */
  readonly line: number
  /** Characters before it. */
  readonly offset: number
  /** Its beginning. An id could be a secret, so it is never shown whole. */
  readonly excerpt: string
}

const CLOCK = String.raw`\d{1,2}:\d{2}(?::\d{2})?`
const DAY = String.raw`(?:\d{4}-\d{2}-\d{2}|\d{4}/\d{2}/\d{2}|\d{1,2}\.\d{1,2}\.\d{4}|\d{1,2}/\d{1,2}/\d{4})`
const MONTH = String.raw`(?:Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Oct|Nov|Dec)[a-z]*\.?`
const WORDED_DAY = String.raw`(?:${MONTH} \d{1,2},? \d{4}|\d{1,2}\.? ${MONTH},? \d{4})`

/** In this order: the first that matches a place has it. A day alone is none: it changes once a day. */
const patterns: readonly (readonly [VolatileSpot['kind'], RegExp])[] = [
  ['time', new RegExp(String.raw`(?:${DAY}|${WORDED_DAY})(?:T|,? (?:at )?)${CLOCK}`, 'g')],
  ['time', /(?<![\d:.])(?:[01]?\d|2[0-3]):[0-5]\d:[0-5]\d(?![\d:])/g],
  [
    'time',
    new RegExp(String.raw`\b(?:now|current time|time is|it is|generated at|updated at|as of):? ${CLOCK}\b`, 'gi'),
  ],
  ['time', /(?<![\w.-])1[5-9]\d{8}(?:\d{3})?(?![\w.-])/g],
  ['id', /\b[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}\b/gi],
  ['id', /\b01[0-9A-HJKMNP-TV-Z]{24}\b/g],
  ['id', /\b(?=[0-9a-f]*\d)(?=[0-9a-f]*[a-f])[0-9a-f]{32,}\b/gi],
  [
    'counter',
    /\b(?:call|turn|run|build|request|message|revision|visit)s?(?: (?:id|number|no\.?|count|counter))?:? ?#\d+\b/gi,
  ],
  ['counter', /\b(?:call|turn|run|build|request|message|revision|visit)s? (?:id|number|no\.?|count|counter):? \d+\b/gi],
]

/** Times with a clock, random ids and counters in a text, in its order. */
export function volatileSpots(text: string): readonly VolatileSpot[] {
  const found: (VolatileSpot & { readonly end: number })[] = []
  for (const [kind, pattern] of patterns) {
    for (const match of text.matchAll(pattern)) {
      const [offset, end] = [match.index, match.index + match[0].length]
      if (found.some((other) => offset < other.end && other.offset < end)) continue
      found.push({
        kind,
        line: text.slice(0, offset).split('\n').length,
        offset,
        end,
        excerpt: kind === 'id' ? `${match[0].slice(0, SHOWN)}…` : match[0],
      })
    }
  }
  return found
    .toSorted((one, other) => one.offset - other.offset)
    .map(({ kind, line, offset, excerpt }) => ({ kind, line, offset, excerpt }))
}

/** Characters of an id that are shown. */
const SHOWN = 8
