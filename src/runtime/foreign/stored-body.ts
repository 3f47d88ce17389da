import { sha256 } from '../../platform.ts'
import type { ContentStore } from '../../session.ts'
import type { StoredBody } from './foreign-input.ts'

/** Parts whose references are one content: lists of the same beginning share all but the last of them. */
const GROUP = 32

/** A body as text, or its bytes where it is none. */
export type BodyContent =
  | { readonly type: 'text'; readonly text: string }
  | { readonly type: 'bytes'; readonly bytes: Uint8Array }

/** Writes contents that were not written a moment ago. */
export type PutPart = (text: string) => Promise<string>

/** Stores a body in the parts that `split` gives, whose sum it is. */
export async function storeBody(
  content: BodyContent,
  split: (text: string) => readonly string[],
  put: PutPart,
): Promise<Omit<StoredBody, 'encoding'>> {
  const parts =
    content.type === 'text' ? wholeParts(content.text, split) : [Buffer.from(content.bytes).toString('base64')]
  const references = await Promise.all(parts.map(async (part) => `sha256:${await put(part)}`))
  const groups: string[] = []
  for (let at = 0; at < references.length; at += GROUP) {
    groups.push(`sha256:${await put(JSON.stringify(references.slice(at, at + GROUP)))}`)
  }
  const bytes = content.type === 'text' ? Buffer.from(content.text) : content.bytes
  return {
    parts: `sha256:${await put(JSON.stringify(groups))}`,
    sha256: sha256(bytes),
    bytes: bytes.byteLength,
    ...(content.type === 'bytes' ? { base64: true } : {}),
  }
}

/** Parts that are not the whole would lose what is between them: then the body is one part. */
function wholeParts(text: string, split: (text: string) => readonly string[]): readonly string[] {
  const parts = split(text)
  return parts.join('') === text ? parts : [text]
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
