import { isUtf8 } from 'node:buffer'
import { randomUUID } from 'node:crypto'
import { type BodyScan, type ListPlace, scanBody } from '../../../foreign.ts'
import { type Clock, inSlices, isObject, sha256 } from '../../../platform.ts'
import { type DigestPlace, growingDigest } from '../growing-digest.ts'
import { withShorterTexts } from './shorter-texts.ts'

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
