import { sha256 } from '../platform.ts'
import type { ComparedCall } from './compared-unit.ts'
import { jsonOf } from '../wire.ts'

/**
 * A call with digests in place of what it says: small enough to keep, exact enough to be compared with `commonPrefix`, also
 * where several entries share one text. What no comparison needs, such as marks, is left out.
 */
export function keptCall({ manifest, pieces }: ComparedCall): ComparedCall {
  const kept = pieces.map(({ entry, tokens, content, joined }) => ({
    entry,
    tokens,
    content: sha256(jsonOf(content)),
    ...(joined ? { joined: joined.map((part) => ({ entry: part.entry, text: sha256(part.text) })) } : {}),
  }))
  return { manifest, pieces: kept }
}
