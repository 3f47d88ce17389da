import { escapeMarkup, LONGEST_ESCAPE, partsWithEscapes, withoutEscapes } from './escaped-text.ts'

/** Secrets by name, and texts without them. */
export type KnownSecrets = ReturnType<typeof knownSecrets>

/** Size of the table of distances, whose index is a hash of two neighbouring characters. */
const TABLE_BITS = 14
const TABLE_MASK = (1 << TABLE_BITS) - 1

/** Creates the memory of one process or of one server. `values`: by name. */
export function knownSecrets(values: Readonly<Record<string, string>> = {}) {
  const known = new Map<string, string>()
  let search: Search | undefined
  const learn = (name: string, value: string): void => {
    if (known.get(value) !== undefined) return
    known.set(value, name)
    search = undefined
  }
  for (const [name, value] of Object.entries(values)) learn(name, value)
  const current = (): Search => {
    search ??= createSearch([...known].flatMap(([value, name]) => secretForms(name, value)))
    return search
  }
  return {
    /** How many values are remembered: never less than before. */
    count: (): number => known.size,
    /** Remembers a value. One that is too short to be looked for is not remembered. */
    learn,
    /**
     * The text with the name in brackets in place of each secret: as it is, in JSON, in a URL, in HTML, in UTF-16 and UTF-32, in base64 and in
     * hexadecimal, with any of its characters escaped, and the part of one that was cut at its beginning or its end.
     */
    redact: (text: string): string => current().redact(text),
    /** The name of the first secret in a text, in any of those forms; `undefined` where there is none. Quicker than `redact`. */
    find: (text: string): string | undefined => current().find(text),
    /** The same in a text as its bytes in UTF-8: a third of the time. */
    findInBytes: (bytes: Uint8Array): string | undefined => current().findInBytes(bytes),
  }
}

type Search = Pick<KnownSecrets, 'redact' | 'find' | 'findInBytes'>

/** The beginning or the end of a form, which is looked for. */
interface Anchor {
  readonly text: string
  readonly form: SecretForm
  readonly isEnd: boolean
}

/**
 * Looks for all anchors in one pass that skips most characters (Wu and Manber, 1994), so that ten megabytes cost some
 * milliseconds, however many secrets there are.
 */
function createSearch(forms: readonly SecretForm[]): Search {
  const anchors = forms.flatMap((form): readonly Anchor[] => [
    { text: form.text.slice(0, form.head), form, isEnd: false },
    { text: form.text.slice(form.text.length - form.tail), form, isEnd: true },
  ])
  if (anchors.length === 0) return { redact: (text) => text, find: () => undefined, findInBytes: () => undefined }
  const { least, distances, endingHere } = skipTable(anchors, ({ text }) =>
    Array.from({ length: text.length }, (_, at) => text.charCodeAt(at)),
  )
  // The longest first: the end of one form may be that of another, too.
  for (const found of endingHere.values()) found.sort((one, other) => other.form.text.length - one.form.text.length)

  /** The parts of secrets in a text, in their order, one after the other. */
  function* cutsIn(text: string): Generator<Cut> {
    let done = 0
    for (let at = least - 1; at < text.length;) {
      const pair = pairHash(text.charCodeAt(at - 1), text.charCodeAt(at))
      const distance = distances[pair]!
      if (distance > 0) {
        at += distance
        continue
      }
      const cut = findCut(text, at - least + 1, endingHere.get(pair) ?? [], done)
      if (cut) {
        yield cut
        done = cut.end
        at = Math.max(at, cut.end + least - 2)
      }
      at += 1
    }
  }

  /** The same where characters of a secret are escaped. */
  function* escapedCutsIn(text: string): Generator<Cut> {
    const plain = withoutEscapes(text)
    if (plain === undefined) return
    for (const { start, end, name } of cutsIn(plain.text)) {
      yield { start: plain.placeOf(start), end: plain.placeOf(end), name }
    }
  }

  const firstOf = (cuts: Generator<Cut>): string | undefined => (cuts.next().value as Cut | undefined)?.name
  const reach = LONGEST_ESCAPE * Math.max(...anchors.map(({ text }) => text.length))
  const characters = new Set(anchors.flatMap(({ text }) => text.split('')))
  const searchBytes = byteSearch(anchors)
  return {
    redact(text) {
      const found = [...cutsIn(text), ...escapedCutsIn(text)]
      return removeRests(found.length === 0 ? text : withoutCuts(text, joinCuts(found)), forms)
    },
    find: (text) => firstOf(cutsIn(text)) ?? firstOf(escapedCutsIn(text)),
    findInBytes(bytes) {
      const found = searchBytes(bytes)
      if (found !== undefined) return found
      for (const part of partsWithEscapes(bytes, characters, reach)) {
        const name = firstOf(escapedCutsIn(part))
        if (name !== undefined) return name
      }
      return undefined
    },
  }
}

/** In their order, those that overlap as one. */
function joinCuts(cuts: readonly Cut[]): readonly Cut[] {
  const joined: Cut[] = []
  for (const cut of cuts.toSorted((one, other) => one.start - other.start)) {
    const last = joined.at(-1)
    if (last === undefined || cut.start >= last.end) joined.push(cut)
    else if (cut.end > last.end) joined[joined.length - 1] = { ...last, end: cut.end }
  }
  return joined
}

interface SkipTable<Wanted> {
  /** Length of the shortest anchor. */
  readonly least: number
  /** By the hash of two neighbours: how far the first `least` of any anchor can be skipped. */
  readonly distances: Uint8Array
  /** By the same hash: the anchors whose first `least` end with these two. */
  readonly endingHere: ReadonlyMap<number, Wanted[]>
}

/** The table of the search, over characters or over bytes. */
function skipTable<Wanted>(
  anchors: readonly Wanted[],
  unitsOf: (anchor: Wanted) => ArrayLike<number>,
): SkipTable<Wanted> {
  const all = anchors.map((anchor) => ({ anchor, units: unitsOf(anchor) }))
  const least = Math.min(...all.map(({ units }) => units.length))
  const distances = new Uint8Array(TABLE_MASK + 1).fill(Math.min(255, least - 1))
  const endingHere = new Map<number, Wanted[]>()
  for (const { anchor, units } of all) {
    for (let at = 1; at < least; at += 1) {
      const pair = pairHash(units[at - 1]!, units[at]!)
      distances[pair] = Math.min(distances[pair]!, least - 1 - at)
      if (at === least - 1) endingHere.set(pair, [...(endingHere.get(pair) ?? []), anchor])
    }
  }
  return { least, distances, endingHere }
}

/** The same search over bytes, which ends with the first anchor. */
function byteSearch(anchors: readonly Anchor[]): Search['findInBytes'] {
  const wanted = anchors.map(({ text, form: { name } }) => ({ bytes: Buffer.from(text), name }))
  const { least, distances, endingHere } = skipTable(wanted, (anchor) => anchor.bytes)
  return (bytes) => {
    const { length } = bytes
    for (let at = least - 1; at < length;) {
      const pair = pairHash(bytes[at - 1]!, bytes[at]!)
      const distance = distances[pair]!
      if (distance > 0) {
        at += distance
        continue
      }
      const place = at - least + 1
      const found = endingHere
        .get(pair)
        ?.find((anchor) => anchor.bytes.every((byte, index) => bytes[place + index] === byte))
      if (found) return found.name
      at += 1
    }
    return undefined
  }
}

function pairHash(first: number, second: number): number {
  return ((first << 7) ^ second) & TABLE_MASK
}

interface Cut {
  readonly start: number
  readonly end: number
  readonly name: string
}

/** The part of a secret around the place where one of the anchors begins; nothing before `done`. */
function findCut(text: string, place: number, anchors: readonly Anchor[], done: number): Cut | undefined {
  let best: Cut | undefined
  for (const { text: wanted, form, isEnd } of anchors) {
    if (place < done || !text.startsWith(wanted, place)) continue
    const cut = isEnd ? extendBack(text, place, form, done) : extendOn(text, place, form)
    if (best === undefined || cut.end - cut.start > best.end - best.start) best = cut
  }
  return best
}

function extendOn(text: string, start: number, { text: wanted, head, name, wraps }: SecretForm): Cut {
  let end = start + head
  let same = head
  for (let at = end; same < wanted.length && at < text.length; at += 1) {
    if (text[at] === wanted[same]) {
      same += 1
      end = at + 1
    } else if (!(wraps && isLineBreak(text[at]!))) break
  }
  return { start, end, name }
}

function extendBack(text: string, place: number, { text: wanted, tail, name, wraps }: SecretForm, done: number): Cut {
  let start = place
  let left = wanted.length - tail
  for (let at = place - 1; left > 0 && at >= done; at -= 1) {
    if (text[at] === wanted[left - 1]) {
      left -= 1
      start = at
    } else if (!(wraps && isLineBreak(text[at]!))) break
  }
  return { start, end: place + tail, name }
}

function isLineBreak(character: string): boolean {
  return character === '\n' || character === '\r'
}

function withoutCuts(text: string, cuts: readonly Cut[]): string {
  const parts: string[] = []
  let from = 0
  for (const { start, end, name } of cuts) {
    parts.push(text.slice(from, start), `[${name}]`)
    from = end
  }
  parts.push(text.slice(from))
  return parts.join('')
}

/** Shorter rests of a cut secret reveal nothing, characters. */
const SHORTEST_REST = 4

/** Where a text says that it was cut. */
const CUT_MARKS = / …|…|\n?\.\.\.\[|\n\[\d+ of /g

/** The most marks that are looked at, from the beginning. */
const MOST_MARKS = 1_000

/** A cut may have gone through the beginning of a secret: then less of it than is looked for is right before the mark. */
function removeRests(text: string, forms: readonly SecretForm[]): string {
  const cuts: Cut[] = []
  let marks = 0
  for (const { index } of text.matchAll(CUT_MARKS)) {
    if (++marks > MOST_MARKS) break
    const rest = findRest(text, index, forms)
    if (rest && rest.start >= (cuts.at(-1)?.end ?? 0)) cuts.push(rest)
  }
  return cuts.length === 0 ? text : withoutCuts(text, cuts)
}

function findRest(text: string, end: number, forms: readonly SecretForm[]): Cut | undefined {
  for (const { text: form, name, head } of forms) {
    for (let length = head - 1; length >= SHORTEST_REST; length -= 1) {
      if (text.endsWith(form.slice(0, length), end)) return { start: end - length, end, name }
    }
  }
  return undefined
}

/** One way in which a secret may be written. */
interface SecretForm {
  readonly text: string
  /** What is written in its place, without brackets. */
  readonly name: string
  /** How much of its beginning, and of its end, is enough to know it by, characters. */
  readonly head: number
  readonly tail: number
  /** A line break may be anywhere in it. */
  readonly wraps: boolean
}

/** Shorter values appear in too many texts by chance, characters. */
const SHORTEST_SECRET = 6

/** Of a part of a secret, characters that are its own and not a common prefix such as `sk-`. */
const OWN_CHARACTERS = 8

/** As it is, in JSON, also with every character escaped, in a URL, in HTML, in UTF-16 and UTF-32, in base64, in hexadecimal, and without a word such as `Bearer` before it. */
function secretForms(name: string, value: string): readonly SecretForm[] {
  const bare = value.slice(value.lastIndexOf(' ') + 1)
  const values = bare.length >= SHORTEST_SECRET ? [...new Set([value, bare])] : [value]
  const forms = values.filter(({ length }) => length >= SHORTEST_SECRET).flatMap((each) => writtenForms(name, each))
  return [...new Map(forms.map((form) => [form.text, form])).values()]
}

function writtenForms(name: string, value: string): readonly SecretForm[] {
  const head = headLength(value)
  const tail = distinctLength(value, 0, (length) => value.slice(-length))
  const ways = [
    (text: string) => text,
    inJson,
    inEscapes,
    (text: string) => inEscapes(text, true),
    encodeUrl,
    encodeURI,
    inHtml,
  ]
  const plain = ways.flatMap((write) => {
    const text = write(value)
    const unchanged = text === value
    if (unchanged && write !== ways[0]) return []
    const [first, last] = unchanged
      ? [head, tail]
      : [write(value.slice(0, head)), write(value.slice(-tail))].map(({ length }) => length)
    return [{ text, name, head: first!, tail: last!, wraps: false }]
  })
  const bytes = Buffer.from(value)
  const bytesHead = Buffer.byteLength(value.slice(0, head))
  const bytesTail = Buffer.byteLength(value.slice(-tail))
  const hex = bytes.toString('hex')
  const hexForms = [hex, hex.toUpperCase()].map((text) => ({
    text,
    name,
    head: 2 * bytesHead,
    tail: 2 * bytesTail,
    wraps: true,
  }))
  // Without the last byte: in between, the bytes are the same whichever of two comes first.
  const wide = Buffer.from(value, 'utf16le').subarray(0, -1)
  const [wideHead, wideTail] = [2 * head - 1, 2 * tail - 1]
  return [
    ...plain,
    ...[1, 3].map((zeros) => ({
      text: value.split('').join('\0'.repeat(zeros)),
      name,
      head: (zeros + 1) * head - zeros,
      tail: (zeros + 1) * tail - zeros,
      wraps: false,
    })),
    ...hexForms,
    ...base64Forms(name, bytes, bytesHead, bytesTail),
    ...base64Forms(name, wide, wideHead, wideTail),
  ]
}

/** In base64 a text looks different at each of three places; the characters at its ends also depend on its neighbours. */
function base64Forms(name: string, bytes: Buffer, headBytes: number, tailBytes: number): readonly SecretForm[] {
  return [0, 1, 2].flatMap((before) => {
    const shifted = Buffer.concat([Buffer.alloc(before), bytes])
    const whole = shifted.toString('base64').replace(/=+$/, '')
    const text = whole.slice(Math.ceil((before * 8) / 6), Math.floor((shifted.length * 8) / 6))
    const part = (length: number): number => Math.min(text.length, Math.floor((length * 8) / 6) - 1)
    const form = { name, head: part(headBytes), tail: part(tailBytes), wraps: true }
    const forUrl = text.replaceAll('+', '-').replaceAll('/', '_')
    return [...new Set([text, forUrl])].map((each) => ({ ...form, text: each }))
  })
}

function inJson(value: string): string {
  return JSON.stringify(value).slice(1, -1)
}

/** Each character as JSON may write it, too. */
function inEscapes(value: string, upper = false): string {
  return value.replaceAll(/[\s\S]/g, (each) => {
    const hex = each.charCodeAt(0).toString(16).padStart(4, '0')
    return `\\u${upper ? hex.toUpperCase() : hex}`
  })
}

function inHtml(value: string): string {
  return escapeMarkup(value).replaceAll('"', '&quot;')
}

/** Not every value is a text that a URL can hold. */
function encodeUrl(value: string): string {
  return encodeURIComponent(value.toWellFormed())
}

/** Words before the part that is random, such as `sk-proj-`, `ghp_` or `Bearer `. */
const PREFIX = /^(?:[A-Za-z]+\d{0,2}[-_ .:])+/

/** The beginning that is enough to know a value by: all of a short value, and of a long one no more than half. */
function headLength(value: string): number {
  const prefix = PREFIX.exec(value)?.[0].length ?? 0
  return distinctLength(value, prefix === value.length ? 0 : prefix, (length) => value.slice(0, length))
}

/** A part that may be an ordinary word is lengthened until it is none. */
function distinctLength(value: string, skipped: number, part: (length: number) => string): number {
  const least = Math.min(value.length, skipped + OWN_CHARACTERS)
  for (let length = least; length < value.length; length += 1) if (!isWord(part(length))) return length
  return value.length
}

/** Letters of one case, or a word with a capital, and what joins such words. */
function isWord(text: string): boolean {
  return /^(?:[A-Z]?[a-z]*|[A-Z]+)(?:[-_ .:/]+(?:[A-Z]?[a-z]*|[A-Z]+))*$/.test(text)
}
