import type { ManifestEntry, Piece } from '../context.ts'
import type { ForeignAssembly } from './foreign-call.ts'
import { sha256 } from '../platform.ts'
import { jsonOf } from '../wire.ts'

/** A call as it is compared: of one that was kept, the pieces have digests in place of their content. */
export type ForeignPieces = Pick<ForeignAssembly, 'manifest' | 'pieces'>

/** A piece that a cache can give again, and its entries with their texts. */
export interface ComparedUnit {
  readonly content: Piece['content']
  readonly tokens: number
  readonly sections: readonly {
    readonly entry: ManifestEntry
    readonly text: string
  }[]
}

/** Whether an entry is the result of a call: also of one that reads or writes a memory. */
export function isResultEntry({ layer, origin }: Pick<ManifestEntry, 'layer' | 'origin'>): boolean {
  return layer === 'tool-result' || (layer === 'memory' && origin.kind === 'tool')
}

/** The id of an entry without its turn. */
export function withinTurn({ id }: ManifestEntry): string {
  return id.slice(id.indexOf('/') + 1)
}

/**
 * A call with digests in place of what it says: small enough to keep, exact enough to be compared with `commonPrefix`, also
 * where several entries share one text. What no comparison needs, such as marks, is left out.
 */
export function keptCall({ manifest, pieces }: ForeignPieces): ForeignPieces {
  const kept = pieces.map(({ entry, tokens, content, joined }) => ({
    entry,
    tokens,
    content: sha256(jsonOf(content)),
    ...(joined ? { joined: joined.map((part) => ({ entry: part.entry, text: sha256(part.text) })) } : {}),
  }))
  return { manifest, pieces: kept }
}
