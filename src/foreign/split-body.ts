/** A text of so many bytes is a part of its own, wherever it is: a cache mark that moves away from it leaves its bytes as they are. */
const LONG_TEXT = 512

/** Elements of a list are joined to parts of at least so many bytes. */
const LEAST_PART = 1_024

/** A part beyond this is cut into pieces of it, and so is what is no JSON. */
const PIECE = 65_536

/**
 * Cuts a body into parts that come back from call to call with the same bytes, to be stored once each: the elements of the
 * lists at the top (tools, system blocks, messages, items) and long texts in them. Joined they are the body, whatever it is.
 * A list of parts of the next call begins and ends like that of the call before: keep what is different in the middle.
 */
export function splitBody(bytes: Uint8Array): readonly Uint8Array[] {
  let start = 0
  return scanBody(bytes).ends.map((end) => bytes.subarray(start, (start = end)))
}

/** Where the parts of a body end, and where its lists at the top are. */
export interface BodyScan {
  /** Rising; the last is the end of the body. */
  readonly ends: readonly number[]
  readonly lists: readonly TopList[]
  readonly places: readonly ListPlace[]
}

/** A list in a field of the body, without its brackets. One that is open ends with the body. */
export interface TopList {
  readonly begin: number
  readonly end: number
}

/** A comma between two elements of a list at the top: a body with the same bytes up to here is read from here on. */
export interface ListPlace {
  readonly at: number
  /** Index of its list, and how many elements of that are before it. */
  readonly list: number
  readonly elements: number
  /** The end of the last part before it. */
  readonly start: number
}

/** Places are so many bytes apart at least. */
const PLACE = 256

/** Looks through a body once. `from`: a place in it, and what was found before that in a body which begins alike. */
export function scanBody(bytes: Uint8Array, from?: { readonly place: ListPlace; readonly scan: BodyScan }): BodyScan {
  const { place } = from ?? {}
  const ends = from ? from.scan.ends.filter((end) => end <= place!.start) : []
  const lists = from ? from.scan.lists.slice(0, place!.list + 1) : []
  const places = from ? from.scan.places.filter(({ at }) => at < place!.at) : []
  let start = place?.start ?? 0
  const cutAt = (end: number): void => {
    for (; start + PIECE < end; start += PIECE) ends.push(start + PIECE)
    if (end > start) ends.push(end)
    start = end
  }
  if (from || isJson(bytes)) for (const end of boundaries(bytes, { lists, places }, place)) cutAt(end)
  cutAt(bytes.length)
  return { ends, lists, places }
}

const [QUOTE, COMMA, BACKSLASH] = [0x22, 0x2c, 0x5c]
const [BEGIN_LIST, END_LIST, BEGIN_FIELDS, END_FIELDS] = [0x5b, 0x5d, 0x7b, 0x7d]

function isJson(bytes: Uint8Array): boolean {
  let at = 0
  while (at < bytes.length && bytes[at]! <= 0x20) at += 1
  return bytes[at] === BEGIN_FIELDS || bytes[at] === BEGIN_LIST
}

/** Where parts end, rising. What is no valid JSON has boundaries, too: they are only places. Adds what it finds to `found`. */
function* boundaries(
  bytes: Uint8Array,
  found: { readonly lists: TopList[]; readonly places: ListPlace[] },
  from?: ListPlace,
): Generator<number> {
  let depth = from ? 2 : 0
  let last = from?.start ?? 0
  /** Depth of the elements of the list at the top that is open; 0: none is. */
  let elements = from ? 2 : 0
  let count = from?.elements ?? 0
  const { lists, places } = found
  for (let at = from?.at ?? 0; at < bytes.length; at += 1) {
    switch (bytes[at]) {
      case QUOTE: {
        const end = textEnd(bytes, at)
        if (end - at >= LONG_TEXT) {
          yield at
          yield end
          last = end
        }
        at = end - 1
        break
      }
      case BEGIN_LIST:
        depth += 1
        if (depth <= 2 && elements === 0) {
          elements = depth
          yield at + 1
          last = at + 1
          lists.push({ begin: at + 1, end: bytes.length })
          count = 1
        }
        break
      case BEGIN_FIELDS:
        depth += 1
        break
      case COMMA:
        if (depth !== elements) break
        if (depth === 2 && bytes[at - 1] === END_FIELDS && at - (places.at(-1)?.at ?? 0) >= PLACE) {
          places.push({ at, list: lists.length - 1, elements: count, start: last })
        }
        count += 1
        // The comma belongs to what follows: the last element of this call has none behind it, and in the next call it has.
        if (at - last >= LEAST_PART) {
          yield at
          last = at
        }
        break
      case END_LIST:
      case END_FIELDS:
        if (depth === elements && elements > 0) {
          yield at
          last = at
          elements = 0
          lists[lists.length - 1] = { begin: lists.at(-1)!.begin, end: at }
        }
        depth = Math.max(0, depth - 1)
    }
  }
}

/** Where a JSON body has texts of at least `least` bytes, between their quotes. Nowhere in what is no JSON. */
export function* longTexts(
  bytes: Uint8Array,
  least: number,
): Generator<{ readonly start: number; readonly end: number }> {
  if (!isJson(bytes)) return
  for (let at = bytes.indexOf(QUOTE); at >= 0;) {
    const end = textEnd(bytes, at)
    if (end - at - 2 >= least) yield { start: at + 1, end: end - 1 }
    at = bytes.indexOf(QUOTE, end)
  }
}

/** Behind the quote that ends a text; the end of the bytes where none does. */
function textEnd(bytes: Uint8Array, begin: number): number {
  for (let from = begin + 1; ;) {
    const quote = bytes.indexOf(QUOTE, from)
    if (quote < 0) return bytes.length
    let slashes = 0
    while (quote - slashes > from && bytes[quote - slashes - 1] === BACKSLASH) slashes += 1
    if (slashes % 2 === 0) return quote + 1
    from = quote + 1
  }
}
