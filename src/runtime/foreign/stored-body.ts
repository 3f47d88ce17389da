import { isUtf8 } from 'node:buffer'
import { splitBody } from '../../foreign.ts'
import { type Clock, inSlices, sha256, timeSlice } from '../../platform.ts'
import { contentHash, type SessionStore } from '../../session.ts'
import type { StoredBody } from './foreign-input.ts'

/** References that are one content: at most so many, and about 16. */
const LONGEST_GROUP = 64
const GROUP_END = '0'

/** A body in parts, and the contents that it is put together from, by their SHA-256. */
export interface BodyContents {
  readonly body: Omit<StoredBody, 'encoding' | 'redacted' | 'lost'>
  readonly contents: ReadonlyMap<string, string>
}

/** Takes a body into parts, whose sum it is. `clean`: what of a text is kept; all of it unless given. Other work runs meanwhile. */
export async function bodyContents(
  clock: Clock,
  body: Uint8Array,
  clean = (text: string) => text,
): Promise<BodyContents> {
  const isText = isUtf8(body)
  const parts = isText ? textParts(splitBody(body)) : [Buffer.from(body).toString('base64')]
  const contents = new Map<string, string>()
  const put = (text: string) => {
    const hash = contentHash(text)
    contents.set(hash, text)
    return `sha256:${hash}`
  }
  const references: string[] = []
  await inSlices(clock, parts, (part) => void references.push(put(clean(part))))
  return {
    body: {
      parts: putList(references, put),
      sha256: sha256(body),
      bytes: body.byteLength,
      ...(isText ? {} : { base64: true }),
    },
    contents,
  }
}

/** Puts the list of the parts of a body, in groups. Returns the reference of it. */
export function putList(references: readonly string[], put: (text: string) => string): string {
  const groups = groupReferences(references).map((group) => put(JSON.stringify(group)))
  return put(JSON.stringify(groups))
}

/** Groups end where their content says so, so that what is put in between changes one of them alone. */
function groupReferences(references: readonly string[]): readonly (readonly string[])[] {
  const groups: string[][] = [[]]
  for (const reference of references) {
    const group = groups.at(-1)!
    group.push(reference)
    if (group.length >= LONGEST_GROUP || reference.endsWith(GROUP_END)) groups.push([])
  }
  return groups.filter(({ length }) => length > 0)
}

/** Parts as texts, one at a time. One that ends within a character is joined with the next. */
function* textParts(parts: readonly Uint8Array[]): Generator<string> {
  let open: readonly Uint8Array[] = []
  for (const part of parts) {
    open = [...open, part]
    const bytes = open.length === 1 ? part : Buffer.concat(open)
    if (!isUtf8(bytes)) continue
    yield Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('utf8')
    open = []
  }
}

/** Puts a body together again; `missing` is the reference of the first content that is gone. Other work runs meanwhile. */
export async function readStoredBody(
  store: Pick<SessionStore, 'clock' | 'content'>,
  { parts, base64 }: StoredBody,
): Promise<{ readonly bytes: Uint8Array } | { readonly missing: string }> {
  const work = timeSlice(store.clock)
  const read = async (reference: string) => {
    const text = await store.content(reference.replace('sha256:', ''))
    if (text === undefined) throw new MissingPart(reference)
    return text
  }
  try {
    const groups = JSON.parse(await read(parts)) as readonly string[]
    const lists = await Promise.all(groups.map(async (group) => JSON.parse(await read(group)) as readonly string[]))
    const pieces: Buffer[] = []
    let length = 0
    for (const part of lists.flat()) {
      if (work.isOver()) await work.rest()
      const piece = Buffer.from(await read(part), base64 ? 'base64' : 'utf8')
      pieces.push(piece)
      length += piece.length
    }
    const bytes = Buffer.allocUnsafeSlow(length)
    let at = 0
    for (const piece of pieces) {
      if (work.isOver()) await work.rest()
      at += piece.copy(bytes, at)
    }
    return { bytes }
  } catch (error) {
    if (error instanceof MissingPart) return { missing: error.reference }
    throw error
  }
}

class MissingPart extends Error {
  readonly reference: string

  constructor(reference: string) {
    super(`the content ${reference} is missing`)
    this.reference = reference
  }
}
