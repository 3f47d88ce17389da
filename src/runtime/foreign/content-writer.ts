import { contentHash, type Write } from '../../session.ts'
import type { AnalysedBody } from './analysis/analysed-body.ts'
import type { RecordParts, ForeignCallFacts } from './foreign-call.ts'
import type { StoredBody } from './foreign-input.ts'
import { bodyContents } from './stored-body.ts'

export interface BodyToStore extends Pick<ForeignCallFacts, 'body' | 'plain'> {
  readonly name: string
  readonly encoding: string | undefined
  readonly analysed: AnalysedBody | undefined
}

/** Contents that are remembered as written: some hundred bytes each. */
const MOST_WRITTEN = 20_000

/** Characters of all contents that are written together with what refers to them. Larger ones are written before, so that other work runs between. */
const MOST_ALONG = 200_000

/** Contents with words of a session go with it, unless another one has said the same. */
export function contentWriter({ analysis, store, secrets, written }: WriterParts, session: string) {
  const keyOf = (hash: string) => `${session} ${hash}`
  const redact = (text: string) => secrets?.redact(text) ?? text
  const along = new Map<string, Write>()
  let left = MOST_ALONG

  async function put(text: string, hash: string): Promise<void> {
    if (written.has(keyOf(hash)) || along.has(hash)) return
    if (text.length <= left) {
      left -= text.length
      along.set(hash, { type: 'content', text, holds: [session], shared: true })
      return
    }
    await store.putContent(text, [session], { shared: true })
    remember(hash)
  }

  function remember(hash: string): void {
    written.add(keyOf(hash))
    for (const oldest of written) {
      if (written.size <= MOST_WRITTEN) break
      written.delete(oldest)
    }
  }

  async function putBody(bytes: Uint8Array, clean?: (text: string) => string): Promise<StoredBody> {
    const { body, contents } = await bodyContents(store.clock, bytes, clean)
    await Promise.all(Array.from(contents, ([hash, text]) => put(text, hash)))
    return body
  }

  /** Only what is new comes from the thread that took it apart. Where that has ended, the work is done here. */
  async function putAnalysed(name: string, { stored }: AnalysedBody): Promise<StoredBody | undefined> {
    const missing = stored.hashes.filter((hash) => !written.has(keyOf(hash)))
    const texts = await analysis.contents(name, missing).catch(() => undefined)
    if (!texts) return undefined
    await Promise.all(texts.map((text, index) => put(text, missing[index]!)))
    return stored.body
  }

  return {
    /** Writes them with what refers to the contents: with those that have not been written yet, all or nothing. */
    async transaction(writes: readonly Write[]) {
      await store.transaction([...along.values(), ...writes])
      for (const hash of along.keys()) remember(hash)
    },
    /** The contents that have not been written yet. */
    writes: () => [...along.values()],
    /** Without the secrets of this gateway. Resolves with its `sha256:HASH`. */
    async text(text: string): Promise<string> {
      const clean = redact(text)
      const hash = contentHash(clean)
      await put(clean, hash)
      return `sha256:${hash}`
    },
    async lost({ sha256, bytes }: NonNullable<ForeignCallFacts['lost']>): Promise<StoredBody> {
      return { parts: await this.text('[]'), sha256, bytes, lost: true }
    },
    /** `isDirty`: it may contain such a secret. */
    async body({ name, body, plain, encoding, analysed }: BodyToStore, isDirty: boolean): Promise<StoredBody> {
      // What cannot be read is kept as it left.
      const coded = encoding === undefined || !plain ? {} : { encoding }
      if (isDirty) return { ...(await putBody(plain ?? body, redact)), redacted: true, ...coded }
      const known = analysed && (await putAnalysed(name, analysed))
      return { ...(known ?? (await putBody(plain ?? body))), ...coded }
    },
  }
}

type WriterParts = Pick<RecordParts, 'analysis' | 'store' | 'secrets' | 'written'>
