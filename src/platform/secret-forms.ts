/** One way in which a secret may be written. */
export interface SecretForm {
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

/** As it is, in JSON, in a URL, in HTML, in base64, in hexadecimal, and without a word such as `Bearer` before it. */
export function secretForms(name: string, value: string): readonly SecretForm[] {
  const bare = value.slice(value.lastIndexOf(' ') + 1)
  const values = bare.length >= SHORTEST_SECRET ? [...new Set([value, bare])] : [value]
  const forms = values.filter(({ length }) => length >= SHORTEST_SECRET).flatMap((each) => writtenForms(name, each))
  return [...new Map(forms.map((form) => [form.text, form])).values()]
}

function writtenForms(name: string, value: string): readonly SecretForm[] {
  const head = headLength(value)
  const tail = distinctLength(value, 0, (length) => value.slice(-length))
  const ways = [(text: string) => text, inJson, encodeUrl, encodeURI, inHtml]
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
  return [...plain, ...hexForms, ...base64Forms(name, bytes, bytesHead, bytesTail)]
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

function inHtml(value: string): string {
  return value.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;').replaceAll('"', '&quot;')
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
