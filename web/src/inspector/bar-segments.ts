import { type Manifest, type ManifestEntry, slotTitles } from '../../../src/context.ts'
import { entryTitle } from './entry-words.ts'
import { t, translated } from '../language/language.ts'

/** A part of the bar. Together they are as wide as the window of the model. */
export interface BarSegment {
  readonly id: string
  readonly title: string
  readonly tokens: number
  readonly color: string
  /** Every other segment of a kind is a little lighter, so that neighbours can be told apart. */
  readonly lighter: boolean
  readonly kind: EntryKind | 'free' | 'margin' | 'reserve'
}

/** What a candidate is to a person: its place in the request, or what it is wherever it stands. */
export type EntryKind = ManifestEntry['slot'] | 'skills' | 'files' | 'changes'

export function entryKind({ layer, slot }: Pick<ManifestEntry, 'layer' | 'slot'>): EntryKind {
  if (layer === 'skills') return 'skills'
  // What announces that instructions or skills are others now goes with the message, and is none of its words.
  if (layer === 'head-change') return 'changes'
  return layer === 'attachment' ? 'files' : slot
}

/** Titles for people. */
export const kindTitles: Readonly<Record<EntryKind, string>> = {
  ...(Object.fromEntries(
    Object.entries(slotTitles).map(([slot, title]) => [slot, translated(title)]),
  ) as typeof slotTitles),
  skills: t`Skills`,
  files: t`Files`,
  changes: t`What changed meanwhile`,
}

export function kindColor(kind: EntryKind): string {
  return `var(--slot-${kind === 'changes' ? 'after-input' : kind})`
}

/** The id of the segment of a candidate, which is at `index` in the account. */
export function segmentId({ id }: Pick<ManifestEntry, 'id'>, index: number): string {
  return `${index} ${id}`
}

/**
 * The window of a call in reading order: every candidate that is sent, the free room, the margin of the estimate, and the room
 * for the answer. Every token of the account is in exactly one of them.
 */
export function barSegments(manifest: Manifest): readonly BarSegment[] {
  const { entries, used, budget } = manifest
  const seen = new Map<EntryKind, number>()
  const sent = [...entries.entries()]
    .filter(([, { tokens }]) => tokens > 0)
    .map(([index, entry]): BarSegment => {
      const kind = entryKind(entry)
      const before = seen.get(kind) ?? 0
      seen.set(kind, before + 1)
      const id = segmentId(entry, index)
      return {
        id,
        title: entryTitle(entry, manifest),
        tokens: entry.tokens,
        color: kindColor(kind),
        lighter: before % 2 === 1,
        kind,
      }
    })
  const room = (kind: 'free' | 'margin' | 'reserve', title: string, tokens: number, color: string): BarSegment => ({
    id: kind,
    title,
    tokens,
    color,
    lighter: false,
    kind,
  })
  return [
    ...sent,
    room('free', t`Free`, Math.max(0, budget.available - used), 'transparent'),
    room('margin', t`Margin of the estimate`, budget.margin, 'var(--line)'),
    room('reserve', t`Kept for the answer`, budget.reserve, 'var(--slot-reserve)'),
  ].filter(({ tokens }) => tokens > 0)
}

/** `Skills: 1,234 tokens`. */
export function segmentWords({ title, tokens }: Pick<BarSegment, 'title' | 'tokens'>): string {
  return t`${title}: ${tokens} tokens`
}

/** Whether a segment is room of the window that nothing was put into. */
export function isRoom({ kind }: Pick<BarSegment, 'kind'>): boolean {
  return kind === 'free' || kind === 'margin' || kind === 'reserve'
}
