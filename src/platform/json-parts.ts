import { textChunks } from './time-slice.ts'

/** Characters. For a longer text the system gives memory of its own, which costs more than the work on the text. */
export const LONG_TEXT = 65_536

/** Lists and objects in each other; what is deeper is serialized as a whole. */
const DEEPEST = 12

/** The JSON of a value in parts: joined they are what `JSON.stringify` gives. Only a value with a long text has several. */
export function* jsonParts(value: unknown): Generator<string> {
  if (!hasLongText(value)) yield JSON.stringify(value)
  else if (typeof value === 'string') yield* textParts(value)
  else yield* Array.isArray(value) ? listParts(value) : objectParts(value as object)
}

/** The JSON of a value between two texts; in parts where it has a long text. */
export function enclosedJson(before: string, value: unknown, after: string): string | Iterable<string> {
  return hasLongText(value) ? enclosed(before, jsonParts(value), after) : `${before}${JSON.stringify(value)}${after}`
}

function* enclosed(before: string, parts: Iterable<string>, after: string): Generator<string> {
  yield before
  yield* parts
  yield after
}

/** What `JSON.stringify` gives, without a copy of each long text for each step of it. */
export function jsonText(value: unknown): string {
  return hasLongText(value) ? [...jsonParts(value)].join('') : JSON.stringify(value)
}

/** Whether a text in the value is longer than `LONG_TEXT`. */
export function hasLongText(value: unknown, depth = 0): boolean {
  if (typeof value === 'string') return value.length > LONG_TEXT
  if (typeof value !== 'object' || value === null || depth > DEEPEST || 'toJSON' in value) return false
  for (const each of Array.isArray(value) ? value : Object.values(value)) if (hasLongText(each, depth + 1)) return true
  return false
}

function* textParts(text: string): Generator<string> {
  yield '"'
  for (const chunk of textChunks(text, LONG_TEXT)) yield JSON.stringify(chunk).slice(1, -1)
  yield '"'
}

function* listParts(list: readonly unknown[]): Generator<string> {
  for (const [index, each] of list.entries()) {
    yield index === 0 ? '[' : ','
    yield* jsonParts(each ?? null)
  }
  yield ']'
}

function* objectParts(object: object): Generator<string> {
  let before = '{'
  for (const [key, each] of Object.entries(object)) {
    if (each === undefined) continue
    yield `${before}${JSON.stringify(key)}:`
    yield* jsonParts(each)
    before = ','
  }
  yield '}'
}
