import type { Manifest } from '../../../src/context.ts'

/** A part of the bar: its widths sum to the window of the model. */
export interface BarSegment {
  readonly id: string
  readonly title: string
  readonly tokens: number
  /** A CSS colour. */
  readonly color: string
}

type Slot = Manifest['entries'][number]['slot']

/** Titles for people, in reading order. */
export const slotTitles: Readonly<Record<Slot, string>> = {
  tools: 'Tools',
  system: 'System',
  preamble: 'Preamble',
  history: 'History',
  'before-input': 'Before the message',
  input: 'Message',
  'after-input': 'After the message',
}

/** The window of a call in reading order: its slots, the free room, the margin of the estimate, the room for the answer. */
export function barSegments({ slots, used, budget }: Manifest): readonly BarSegment[] {
  const filled = (Object.keys(slotTitles) as Slot[]).map((slot) => ({
    id: slot,
    title: slotTitles[slot],
    tokens: slots[slot],
    color: `var(--slot-${slot})`,
  }))
  const free = { id: 'free', title: 'Free', tokens: Math.max(0, budget.available - used), color: 'transparent' }
  const margin = { id: 'margin', title: 'Margin', tokens: budget.margin, color: 'var(--line)' }
  const reserve = { id: 'reserve', title: 'Kept for the answer', tokens: budget.reserve, color: 'var(--slot-reserve)' }
  return [...filled, free, margin, reserve].filter(({ tokens }) => tokens > 0)
}
