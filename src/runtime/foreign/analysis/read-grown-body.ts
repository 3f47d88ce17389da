import { isUtf8 } from 'node:buffer'
import { randomUUID } from 'node:crypto'
import { type BodyScan, type ListPlace, scanBody, longTexts } from '../../../foreign.ts'
import { type Clock, inSlices, isObject, sha256 } from '../../../platform.ts'
import { type DigestPlace, growingDigest } from '../growing-digest.ts'
import type { TokenCounter } from '../../../context.ts'

/** A body that was read, with what the next one of its conversation begins with. */
export interface ReadBody {
  readonly bytes: Uint8Array
  /** What its JSON says; `undefined`: it is none. Elements of its lists are those of the body that it goes on from. */
  readonly value: unknown
  readonly scan: BodyScan
  readonly isText: boolean
  /** Its parts as they are stored; none where it is no text. */
  readonly parts: readonly BodyPart[]
  readonly sha256: string
  readonly digests: readonly DigestPlace[]
  /** Whether each list of the scan is a field of the value: only then the next body can go on from it. */
  readonly canGoOn: boolean
}

/** A part begins where the one before it ends. */
export interface BodyPart {
  readonly end: number
  readonly hash: string
}

/** Reads a body. `before`: one that begins with the same bytes, and how many these are: nothing of that is read again. */
export async function readGrownBody(
  clock: Clock,
  bytes: Uint8Array,
  before?: { readonly body: ReadBody; readonly same: number },
): Promise<ReadBody> {
  const known = before?.body
  const place = known?.canGoOn ? known.scan.places.findLast(({ at }) => at < before!.same) : undefined
  if (!known || !place || bytes.byteLength - place.at > LONGEST_REST) return readWhole(clock, bytes)
  const scan = scanBody(bytes, { place, scan: known.scan })
  const value = valueFrom(bytes, place, scan, known.value as Fields)
  if (value === undefined || !isUtf8(bytes.subarray(place.at))) return readWhole(clock, bytes)
  return { ...(await stored(clock, bytes, scan, known, place)), value, canGoOn: true }
}

/** What follows on the same beginning is read as it is: no longer texts are in it than these. */
const LONGEST_REST = 4 * 1024 * 1024

type Fields = Readonly<Record<string, unknown>>

async function readWhole(clock: Clock, bytes: Uint8Array): Promise<ReadBody> {
  const shorter = withShorterTexts(bytes)
  const value = parsed(new TextDecoder().decode(shorter))
  const scan = scanBody(bytes)
  const read = await stored(clock, bytes, scan)
  return { ...read, value, canGoOn: shorter === bytes && read.isText && isObject(value) && hasLists(value, scan) }
}

/** The value of a body whose lists begin with elements of the last one. `undefined`: that cannot be known. */
function valueFrom(bytes: Uint8Array, place: ListPlace, scan: BodyScan, known: Fields): Fields | undefined {
  const text: string[] = []
  let from = 0
  for (const [index, { begin, end }] of scan.lists.slice(0, place.list + 1).entries()) {
    const until = index === place.list ? place.at : end
    text.push(textOf(bytes, from, begin), JSON.stringify(`${KNOWN} ${index}`))
    from = until
  }
  const value = parsed(text.join('') + textOf(bytes, from, bytes.byteLength))
  if (!isObject(value) || !hasLists(value, scan)) return undefined
  let found = 0
  const fields = Object.entries(value).map(([key, field]): [string, unknown] => {
    const [first, ...rest] = Array.isArray(field) ? (field as unknown[]) : []
    if (typeof first !== 'string' || !first.startsWith(KNOWN)) return [key, field]
    const index = Number(first.slice(KNOWN.length))
    const list = known[key] as readonly unknown[]
    found += 1
    return [key, [...(index === place.list ? list.slice(0, place.elements) : list), ...rest]]
  })
  return found === place.list + 1 ? Object.fromEntries(fields) : undefined
}

/** Stands for the elements of a list that were read before. No body contains it. */
const KNOWN = randomUUID()

/** Whether each list at the top is the value of a field, and no later field has taken its place. */
function hasLists(value: Fields, { lists }: BodyScan): boolean {
  return Object.values(value).filter(Array.isArray).length === lists.length
}

function parsed(text: string): unknown {
  try {
    return text === '' ? undefined : (JSON.parse(text) as unknown)
  } catch {
    return undefined
  }
}

function textOf(bytes: Uint8Array, from: number, end: number): string {
  return Buffer.from(bytes.buffer, bytes.byteOffset + from, end - from).toString('utf8')
}

async function stored(clock: Clock, bytes: Uint8Array, scan: BodyScan, known?: ReadBody, place?: ListPlace) {
  const parts = known?.parts.filter(({ end }) => end <= place!.start) ?? []
  const isText = known !== undefined || isUtf8(bytes)
  let start = parts.at(-1)?.end ?? 0
  await inSlices(clock, isText ? scan.ends.slice(parts.length) : [], (end) => {
    // One that ends within a character is joined with the next.
    if (end <= start || !isUtf8(bytes.subarray(start, end))) return
    parts.push({ end, hash: sha256(bytes.subarray(start, end)) })
    start = end
  })
  const digest = await growingDigest(clock, bytes, known?.digests ?? [], place?.at ?? 0)
  return { bytes, scan, parts, isText, ...digest }
}

/** A text of more bytes is read by its beginning: no more of it is needed to tell the size of an image or the pages of a file. */
const LONG = 4 * 1024 * 1024
const BEGINNING = 3 * 1024 * 1024

/** What stands for the rest of a text: how many bytes it has, and the SHA-256 of the whole. Itself base64. */
const REST = /foreword(\d{12})[0-9a-f]{64}/g

/**
 * A JSON body with the beginning of each very long text in the place of the whole, and a mark that is another one for another
 * text, so that reading the body takes no memory for them. The same bytes where there is none.
 */
export function withShorterTexts(bytes: Uint8Array): Uint8Array {
  const parts: Uint8Array[] = []
  let done = 0
  for (const { start, end } of longTexts(bytes, LONG)) {
    const cut = placeToCut(bytes, start, start + BEGINNING)
    const rest = String(end - cut).padStart(12, '0')
    parts.push(bytes.subarray(done, cut), Buffer.from(`foreword${rest}${sha256(bytes.subarray(start, end))}`))
    done = end
  }
  return done === 0 ? bytes : Buffer.concat([...parts, bytes.subarray(done)])
}

/** Counts what a mark stands for as what is around it. A mark that somebody else wrote makes a text no smaller. */
export function countingRests(counter: TokenCounter): TokenCounter {
  const factor = (text: string): number => {
    if (text.length < BEGINNING / 4) return 1
    let rest = 0
    for (const [, bytes] of text.matchAll(REST)) rest += Number(bytes)
    return 1 + rest / text.length
  }
  const { slices } = counter
  return {
    ...counter,
    text: (text) => Math.round(counter.text(text) * factor(text)),
    ...(slices && {
      *slices(text: string) {
        const times = factor(text)
        for (const count of slices(text)) yield Math.round(count * times)
      },
    }),
  }
}

/** The last place up to `end` where a text can end: neither in a character nor in what is escaped. */
function placeToCut(bytes: Uint8Array, start: number, end: number): number {
  let at = end
  while (at > start && ((bytes[at]! & 0xc0) === 0x80 || bytes.subarray(at - LONGEST_ESCAPES, at).includes(BACKSLASH)))
    at -= 1
  return at
}

/** Bytes of one character as two escapes, `\ud83d\ude00`. */
const LONGEST_ESCAPES = 12
const BACKSLASH = 0x5c
