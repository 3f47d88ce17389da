import { contentHash } from '../../session.ts'
import type { AnalysedBody } from './analysis/analysed-body.ts'
import type { RecordParts, BegunCall } from './foreign-call.ts'
import type { StoredBody } from './foreign-input.ts'
import { bodyContents } from './stored-body.ts'

export interface BodyToStore extends Pick<BegunCall, 'body' | 'plain'> {
  readonly name: string
  readonly encoding: string | undefined
  readonly analysed: AnalysedBody | undefined
}

/** Contents that are remembered as written: some hundred bytes each. */
const MOST_WRITTEN = 20_000

/** Contents with words of a session go with it, unless another one has said the same. */
export function contentWriter({ analysis, store, secrets, written }: WriterParts, session: string) {
  const keyOf = (hash: string) => `${session} ${hash}`
  const redact = (text: string) => secrets?.redact(text) ?? text

  async function put(text: string, hash: string): Promise<void> {
    if (written.has(keyOf(hash))) return
    await store.putContent(text, [session], { shared: true })
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
    /** Without the secrets of this gateway. Resolves with its `sha256:HASH`. */
    async text(text: string): Promise<string> {
      const clean = redact(text)
      const hash = contentHash(clean)
      await put(clean, hash)
      return `sha256:${hash}`
    },
    /** A body whose bytes are gone. */
    async lost({ sha256, bytes }: NonNullable<BegunCall['lost']>): Promise<StoredBody> {
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
