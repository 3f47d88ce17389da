import { isUtf8 } from 'node:buffer'
import { splitBody } from '../../foreign.ts'
import { sha256, timeSlice } from '../../platform.ts'
import type { ContentStore } from '../../session.ts'
import type { StoredBody } from './foreign-input.ts'

/** References that are one content: at most so many, and about 16. */
const LONGEST_GROUP = 64
const GROUP_END = '0'

/** Writes contents that were not written a moment ago. */
export type PutPart = (text: string) => Promise<string>

/** Stores a body in parts, whose sum it is. */
export async function storeBody(body: Uint8Array, put: PutPart): Promise<Omit<StoredBody, 'encoding'>> {
  const isText = isUtf8(body)
  const parts = isText ? textParts(splitBody(body)) : [Buffer.from(body).toString('base64')]
  // Written together, and hashed in slices: other calls are on their way meanwhile.
  const written: Promise<string>[] = []
  const work = timeSlice()
  for (const part of parts) {
    if (work.isOver()) await work.rest()
    written.push(put(part))
  }
  const references = (await Promise.all(written)).map((hash) => `sha256:${hash}`)
  const groups = await Promise.all(
    groupReferences(references).map(async (group) => `sha256:${await put(JSON.stringify(group))}`),
  )
  return {
    parts: `sha256:${await put(JSON.stringify(groups))}`,
    sha256: sha256(body),
    bytes: body.byteLength,
    ...(isText ? {} : { base64: true }),
  }
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

/** Parts as texts. One that ends within a character is joined with the next. */
function textParts(parts: readonly Uint8Array[]): readonly string[] {
  const texts: string[] = []
  let open: readonly Uint8Array[] = []
  for (const part of parts) {
    open = [...open, part]
    const bytes = open.length === 1 ? part : Buffer.concat(open)
    if (!isUtf8(bytes)) continue
    texts.push(Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('utf8'))
    open = []
  }
  return texts
}

/** Puts a body together again; `missing` is the reference of the first content that is gone. */
export async function readStoredBody(
  store: Pick<ContentStore, 'content'>,
  { parts, base64 }: StoredBody,
): Promise<{ readonly bytes: Uint8Array } | { readonly missing: string }> {
  const read = async (reference: string) => {
    const text = await store.content(reference.replace('sha256:', ''))
    if (text === undefined) throw new MissingPart(reference)
    return text
  }
  try {
    const groups = JSON.parse(await read(parts)) as readonly string[]
    const lists = await Promise.all(groups.map(async (group) => JSON.parse(await read(group)) as readonly string[]))
    const texts = await Promise.all(lists.flat().map(read))
    return { bytes: Buffer.from(texts.join(''), base64 ? 'base64' : 'utf8') }
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
