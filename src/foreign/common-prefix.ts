import type { ManifestEntry, Piece } from '../context.ts'
import { sha256 } from '../platform.ts'
import { causeOfChange, type ForeignCause } from './change-cause.ts'
import type { ForeignPieces, ComparedUnit } from './compared-unit.ts'
import { jsonOf } from '../wire.ts'

/** What of a request a prompt cache has of the call before, tokens, and where it begins to differ by meaning. */
export interface ForeignReuse {
  readonly tokens: number
  /** Behind the first difference: what was sent before, too, and is sent again. */
  readonly again?: number
  readonly pieces: number
  readonly firstChange?: {
    readonly id: string
    readonly slot: ManifestEntry['slot']
    readonly cause: ForeignCause
    readonly why: string
  }
}

/**
 * Compares the beginnings of two calls by what a model reads: tools, system, messages. Cache marks, ids of items, the form of
 * a text (a string or a list of blocks), tools that are loaded on demand, and what is said for the bill do not count. Pure.
 */
export function commonPrefix(before: ForeignPieces, after: ForeignPieces): ForeignReuse {
  const [old, now] = [comparedUnits(before), comparedUnits(after)]
  if (before.manifest.model !== after.manifest.model && before.manifest.model && after.manifest.model) {
    const [first] = now
    const why = `Another model was asked: ${before.manifest.model} before, ${after.manifest.model} now.`
    if (!first) return { tokens: 0, pieces: 0 }
    const { id, slot } = first.sections[0]!.entry
    return { tokens: 0, ...againOf(old, now), pieces: 0, firstChange: { id, slot, cause: 'model', why } }
  }
  let pieces = 0
  let tokens = 0
  while (pieces < old.length && pieces < now.length && isSame(old[pieces]!, now[pieces]!)) {
    tokens += now[pieces]!.tokens
    pieces += 1
  }
  const [gone, here] = [old[pieces], now[pieces]]
  if (!gone && !here) return { tokens, pieces }
  const within = gone && here ? sameSections(gone, here) : 0
  tokens += here?.sections.slice(0, within).reduce((sum, { entry }) => sum + entry.tokens, 0) ?? 0
  const change = { before, after, old, now, at: pieces, within }
  const { entry, cause, why } = causeOfChange(change)
  const again = againOf(old.slice(pieces), now.slice(pieces))
  return { tokens, ...again, pieces, firstChange: { id: entry.id, slot: entry.slot, cause, why } }
}

/** Said for the bill: no part of what is cached. */
const BILLING = 'billing'

function comparedUnits({ manifest: { entries }, pieces }: ForeignPieces): readonly ComparedUnit[] {
  return pieces.flatMap(({ entry, content, tokens, joined }) => {
    const first = entries[entry]
    if (!first || first.layer === BILLING || first.slot === 'after-input') return []
    const sections = joined ?? [{ entry, text: saidText(content) }]
    return [{ content, tokens, sections: sections.map((each) => ({ entry: entries[each.entry]!, text: each.text })) }]
  })
}

function saidText(content: Piece['content']): string {
  if (typeof content === 'string') return content
  // A tool may have a field of any name.
  if ('inputSchema' in content || !('role' in content)) return jsonOf(content)
  if (typeof content.content === 'string') return content.content
  const texts = content.content.map((part) => {
    if (part.type === 'text' || part.type === 'reasoning') return part.text
    if (part.type !== 'tool-result') return jsonOf(part)
    return 'value' in part.output && typeof part.output.value === 'string' ? part.output.value : jsonOf(part.output)
  })
  return texts.join('\n')
}

function isSame(one: ComparedUnit, other: ComparedUnit): boolean {
  if (one.content === other.content) return true
  if (one.tokens !== other.tokens || typeof one.content !== typeof other.content) return false
  return jsonOf(one.content) === jsonOf(other.content)
}

/** How many sections at the beginning of two texts are the same, where each is an entry of its own. */
function sameSections(one: ComparedUnit, other: ComparedUnit): number {
  let same = 0
  const most = Math.min(one.sections.length, other.sections.length) - 1
  while (same < most && one.sections[same]!.text === other.sections[same]!.text) {
    if (other.sections[same]!.entry.layer === 'turn') break
    same += 1
  }
  return same
}

function againOf(old: readonly ComparedUnit[], now: readonly ComparedUnit[]): { readonly again?: number } {
  if (old.length === 0) return {}
  const known = new Set(old.map(keyOf))
  const again = now.reduce((sum, unit) => sum + (known.has(keyOf(unit)) ? unit.tokens : 0), 0)
  return again > 0 ? { again } : {}
}

function keyOf({ content }: ComparedUnit): string {
  return typeof content === 'string' ? content : sha256(jsonOf(content))
}
