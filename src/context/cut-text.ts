interface TextCut {
  /** Characters that are kept of a plain text. JSON has at most as many with its note. */
  readonly most: number
  /** The share of the beginning in what is kept of a plain text; the rest is for its end. */
  readonly headShare: number
  /** How the rest is read, after the words on what is missing. `offset`: the character at which a plain text was cut. */
  readonly how: (offset: number) => string
  /** Words whose places in the long texts of a JSON document are kept, too. */
  readonly query?: string | undefined
}

/**
 * A text cut to about `most` characters. JSON stays JSON (`cutJson`). A plain text keeps its beginning and its end, with a
 * note of what is missing between them; the end of records begins with a whole record.
 */
export function cutText(text: string, { most, headShare, how, query }: TextCut): string {
  if (text.length <= most) return text
  const json = cutJson(text, most, how(0), query)
  if (json !== undefined) return json
  const end = endOf(text, most - Math.floor(most * headShare))
  const beginning = text.slice(0, wholeCharacter(text, most - end.length))
  const left = text.length - beginning.length - end.length
  return `${beginning}\n[${left} of ${text.length} characters left out${how(beginning.length)}]${end && `\n${end}`}`
}

/** Lines of JSON, or a page of a JSON text: behind a gap, a field would seem to belong to the record before the gap. */
const RECORDS = /^\s*[{[]|\[characters \d+ to \d+ of \d+; go on/
const FIELD = /"[^"\n]{1,80}"\s*:\s*["{[\d]/

function endOf(text: string, length: number): string {
  const end = text.slice(wholeCharacter(text, text.length - length))
  if (!RECORDS.test(text) || !FIELD.test(text)) return end
  const record = end.search(/\n(?=[{[])/)
  return record < 0 ? '' : end.slice(record + 1)
}

/** A text in JSON is not shortened below this, characters, and each next length that is tried is so many times longer. */
const LEAST_LENGTH = 80
const GROWTH = 1.25
/** Where more characters than this are kept, the last ones that would fit are not looked for. */
const LARGE = 1_000_000
/** A list of elements or members that is nested deeper stays as it is. */
const DEEPEST = 32
/** An object with more members is a list of named things. */
const MOST_FIELDS = 16

/**
 * A JSON object or array in at most `most` characters, as JSON; `undefined` where the text is no such thing. First its long
 * texts are shortened, each to its beginning and what is around the words of `query`, then elements of long lists are left
 * out from the end. A member `left_out` (of an array: a last element) says how many of what are missing, followed by `how`.
 */
export function cutJson(text: string, most: number, how: string, query = ''): string | undefined {
  if (text.length <= most) return text
  const parsed = parseList(text)
  if (parsed === undefined) return undefined
  const { value, before, member } = withoutNote(parsed)
  const asked = query.toLowerCase().match(/[\p{L}\p{N}]{3,}/gu) ?? []
  const sizes = new Map<object, number>()
  const render = (length: number, kept: number) => {
    const missing: Missing = new Map()
    const shown = shorter(value, { length, kept, words: asked, missing, sizes }, 'elements', 0)
    const words = leftOut(missing, before)
    // Without its white space, it may fit as it is.
    if (words === '') return JSON.stringify(shown)
    const note = `${words}${how}`
    return JSON.stringify(Array.isArray(shown) ? [...shown, note] : { ...(shown as object), [member]: note })
  }
  const length = (step: number) => Math.ceil(LEAST_LENGTH * GROWTH ** step)
  const steps = Math.max(0, Math.ceil(Math.log(most / LEAST_LENGTH) / Math.log(GROWTH)))
  const fits = (longest: number, elements: number) => render(longest, elements).length <= most
  const slack = most > LARGE ? 0.1 : 0
  /** The longest texts of so many elements: first in large steps, then in small ones. */
  const longest = (elements: number) => {
    const step = largest(steps, 0, (each) => fits(length(each), elements)) ?? 0
    const [from, to] = [length(step), length(step + 1)]
    const more = largest(to - from, slack, (each) => fits(from + each, elements)) ?? 0
    return render(from + more, elements)
  }
  if (fits(LEAST_LENGTH, Infinity)) return longest(Infinity)
  let high = 1
  while (fits(LEAST_LENGTH, high)) high *= 2
  const kept = largest(high, slack, (count) => fits(LEAST_LENGTH, count))
  if (kept === undefined) return JSON.stringify({ [member]: `${text.length} characters of JSON left out${how}` })
  return longest(kept)
}

/** How many are left out, and of how many, by what they are called. */
type Missing = Map<string, { left: number; all: number }>

const LEFT_OUT = 'left_out'
const CHARACTERS = 'characters'
const SHORTENED = 'texts shortened'
const NOTE = /^(?:\d+ of \d+ [^,;]+, )*\d+ of \d+ [^,;]+ left out(?:, texts shortened)?|^texts shortened/

/**
 * A value that was cut before without the note of that cut, and what the note says. `member`: the name of the next note;
 * another one where the value has a member of that name that is no such note.
 */
function withoutNote(value: object) {
  const note: unknown = Array.isArray(value) ? value.at(-1) : (value as Record<string, unknown>)[LEFT_OUT]
  const [before = ''] = NOTE.exec(String(note)) ?? []
  if (before === '') return { value, before, member: note === undefined ? LEFT_OUT : `${LEFT_OUT}_here` }
  const { [LEFT_OUT]: _, ...rest } = value as Record<string, unknown>
  return { value: Array.isArray(value) ? value.slice(0, -1) : rest, before, member: LEFT_OUT }
}

/**
 * Words for what is left out, together with what an earlier cut did. How many characters its shortened texts had is not
 * known any more.
 */
function leftOut(missing: Missing, before: string): string {
  const counts: Missing = new Map(missing)
  for (const [, gone, of, name] of before.matchAll(/(\d+) of (\d+) ([^,;]+?)(?=,| left out)/g)) {
    const { left, all } = missing.get(name!) ?? { left: 0, all: 0 }
    counts.set(name!, { left: left + Number(gone), all: Math.max(Number(of), all + Number(gone)) })
  }
  const isShortened = before.includes(SHORTENED) || before.includes(` ${CHARACTERS}`)
  const characters = counts.get(CHARACTERS)
  counts.delete(CHARACTERS)
  // The elements first, also where only the earlier cut has left some out.
  if (characters !== undefined && !isShortened) counts.set(CHARACTERS, characters)
  const parts = [...counts].map(([name, { left, all }]) => `${left} of ${all} ${name}`)
  return [...(parts[0] ? [`${parts.join(', ')} left out`] : []), ...(isShortened ? [SHORTENED] : [])].join(', ')
}

/** The largest of 0 to `high` that fits, where all smaller ones do; at most `slack` of it smaller. */
function largest(high: number, slack: number, fits: (at: number) => boolean): number | undefined {
  let found: number | undefined
  for (let low = 0; low * (1 + slack) <= high;) {
    const middle = Math.floor((low + high) / 2)
    if (fits(middle)) {
      found = middle
      low = middle + 1
    } else high = middle - 1
  }
  return found
}

/** Numbers that JavaScript cannot hold keep their digits. */
function parseList(text: string): object | undefined {
  if (!/^\s*[{[]/.test(text)) return undefined
  const { rawJSON } = JSON as unknown as { readonly rawJSON: (digits: string) => unknown }
  const digits = (_key: string, value: unknown, { source }: { source?: string } = {}) =>
    typeof value === 'number' && source !== undefined && String(value) !== source ? rawJSON(source) : value
  try {
    const value = JSON.parse(text, digits) as object
    // What is nested too deep to be written again is cut as a text.
    JSON.stringify(value)
    return value
  } catch {
    return undefined
  }
}

interface Shortening {
  /** Of each text, characters. */
  readonly length: number
  /** Elements of each list. */
  readonly kept: number
  readonly words: readonly string[]
  readonly missing: Missing
  /** Of lists that were looked at before, characters. */
  readonly sizes: Map<object, number>
}

function shorter(value: unknown, by: Shortening, name: string, depth: number): unknown {
  if (typeof value === 'string') return shorterText(value, by)
  if (typeof value !== 'object' || value === null || depth > DEEPEST) return value
  if ('rawJSON' in value && Object.getPrototypeOf(value) === null) return value
  const members = Object.entries(value)
  const isList = Array.isArray(value) || members.length > MOST_FIELDS
  const isLong = isList && members.length > by.kept && sizeOf(value, by.sizes) > by.length
  if (isLong) countMissing(by.missing, name, members.length - by.kept, members.length)
  const shown = (isLong ? members.slice(0, by.kept) : members).map(
    ([key, member]) => [key, shorter(member, by, Array.isArray(value) ? name : key, depth + 1)] as const,
  )
  return Array.isArray(value) ? shown.map(([, member]) => member) : Object.fromEntries(shown)
}

function sizeOf(value: object, sizes: Map<object, number>): number {
  const size = sizes.get(value) ?? JSON.stringify(value).length
  sizes.set(value, size)
  return size
}

function countMissing(missing: Shortening['missing'], name: string, left: number, all: number): void {
  const before = missing.get(name) ?? { left: 0, all: 0 }
  missing.set(name, { left: before.left + left, all: before.all + all })
}

/** An address is whole or wrong. */
const ADDRESS = /^[a-z][a-z\d+.-]*:\/\/\S{1,2000}$/i

function shorterText(text: string, { length, words, missing }: Shortening): string {
  if (text.length <= length || ADDRESS.test(text)) return text
  const found = FIELD.test(text) ? undefined : matching(text, length, words)
  const beginning = text.slice(0, wordEnd(text, found === undefined ? length : Math.ceil(length / 2)))
  const passage = found === undefined ? '' : text.slice(found, wordEnd(text, found + Math.floor(length / 2)))
  const left = text.length - beginning.length - passage.length
  countMissing(missing, CHARACTERS, left, text.length)
  return `${beginning} […]${passage && ` ${passage} […]`}`
}

/** Where the half of `length` begins that has the most of the words, behind the beginning. */
function matching(text: string, length: number, words: readonly string[]): number | undefined {
  if (words.length === 0) return undefined
  const half = Math.floor(length / 2)
  const places = [...text.matchAll(new RegExp(words.join('|'), 'giu'))].filter(({ index }) => index >= length)
  let best: { readonly at: number; readonly count: number } | undefined
  for (const { index: at } of places.slice(0, 200)) {
    const window = text.slice(at, at + half).toLowerCase()
    const count = words.filter((word) => window.includes(word)).length
    if (count > (best?.count ?? 0)) best = { at, count }
  }
  if (!best) return undefined
  // A few words before it, but no part of a word.
  const from = text.indexOf(' ', Math.max(length, best.at - Math.floor(half / 4)))
  return from >= 0 && from < best.at ? from + 1 : Math.max(wordEnd(text, best.at), length)
}

/** The last place up to `at` that does not divide a word, or a character where a word is long. */
function wordEnd(text: string, at: number): number {
  if (at >= text.length) return text.length
  const space = text.lastIndexOf(' ', at)
  return space > at - 8 && space > 0 ? space : wholeCharacter(text, at)
}

/** The last place up to `at` where a text can be cut: a pair of UTF-16 units is one character, and half of it is none. */
export function wholeCharacter(text: string, at: number): number {
  return at > 0 && at < text.length && /[\uD800-\uDBFF]/.test(text.charAt(at - 1)) ? at - 1 : at
}
