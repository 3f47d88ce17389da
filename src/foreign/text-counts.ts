import type { TokenCounter } from '../context.ts'
import { sha256 } from '../platform.ts'

/** Remembers what texts cost: those of a session come back in every call. */
export type TextCounts = ReturnType<typeof textCounts>

/** Texts that are counted each time: a digest would cost as much. */
const SHORT = 256

/** A memory of the last `most` texts: some hundred bytes for each, however long it is. */
export function textCounts(most = 50_000) {
  const known = new Map<string, number>()
  return {
    get: (key: string) => known.get(key),
    set(key: string, tokens: number) {
      known.set(key, tokens)
      if (known.size <= most) return
      for (const oldest of known.keys()) {
        known.delete(oldest)
        if (known.size <= most * 0.9) return
      }
    },
  }
}

/** Counts a text in slices, or takes what is remembered of it. */
export function* countedTokens(text: string, counter: TokenCounter, counts: TextCounts): Generator<void, number> {
  if (text === '') return 0
  if (text.length < SHORT) return counter.text(text)
  const key = `${counter.id} ${counter.version} ${sha256(text)}`
  const known = counts.get(key)
  if (known !== undefined) return known
  let tokens = 0
  if (counter.slices) {
    for (const count of counter.slices(text)) {
      tokens += count
      yield
    }
  } else tokens = counter.text(text)
  counts.set(key, tokens)
  return tokens
}
