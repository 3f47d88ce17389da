import type { Manifest, ManifestEntry } from '../../../src/context.ts'
import { entryTitle } from './entry-words.ts'

type Slot = ManifestEntry['slot']

/** A part of the bar. Together they are as wide as the window of the model. */
export interface BarSegment {
  readonly id: string
  readonly title: string
  readonly tokens: number
  /** A CSS colour. */
  readonly color: string
  /** Every other segment of a slot is a little lighter, so that neighbours can be told apart. */
  readonly lighter: boolean
  readonly kind: Slot | 'free' | 'margin' | 'reserve'
}

/** Titles for people, in reading order. */
export const slotTitles: Readonly<Record<Slot, string>> = {
  tools: 'Tools',
  system: 'System',
  preamble: 'Preamble',
  history: 'History',
  'before-input': 'Before the message',
  input: 'Your message',
  'after-input': 'After the message',
}

/** The colour of a slot. */
export function slotColor(slot: Slot): string {
  return `var(--slot-${slot})`
}

/**
 * The window of a call in reading order: every candidate that is sent, the free room, the margin of the estimate, and the room
 * for the answer. Every token of the account is in exactly one of them.
 */
export function barSegments({ entries, used, budget }: Manifest): readonly BarSegment[] {
  const seen = new Map<Slot, number>()
  const sent = entries
    .filter(({ tokens }) => tokens > 0)
    .map((entry, index): BarSegment => {
      const { slot, tokens } = entry
      const before = seen.get(slot) ?? 0
      seen.set(slot, before + 1)
      const id = `${index} ${entry.id}`
      return { id, title: entryTitle(entry), tokens, color: slotColor(slot), lighter: before % 2 === 1, kind: slot }
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
    room('free', 'Free', Math.max(0, budget.available - used), 'transparent'),
    room('margin', 'Margin of the estimate', budget.margin, 'var(--line)'),
    room('reserve', 'Kept for the answer', budget.reserve, 'var(--slot-reserve)'),
  ].filter(({ tokens }) => tokens > 0)
}
