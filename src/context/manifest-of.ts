import { available, type Budget } from './budget.ts'
import type { Layout } from './layout.ts'
import { type Cut, type Manifest, type Slot, slots } from './manifest.ts'
import { sumTokens } from './priced-turn.ts'
import type { Section } from './section.ts'
import type { TokenCounter } from './token-counter.ts'

/** The account of a call, from what became of every candidate. */
export function manifestOf(
  {
    layout,
    budget,
    counter,
    model,
  }: { layout: Pick<Layout, 'name'>; budget: Budget; counter: TokenCounter; model?: string },
  sections: readonly Pick<Section, 'entry'>[],
  cut: Cut | undefined,
): Manifest {
  const entries = sections.map((section) => section.entry)
  const perSlot = Object.fromEntries(
    slots.map((slot) => [slot, sumTokens(entries.filter((entry) => entry.slot === slot))]),
  ) as Record<Slot, number>
  const { window, reserve, margin = 0 } = budget
  return {
    version: 1,
    layout: layout.name,
    counter: { id: counter.id, version: counter.version },
    budget: { window, reserve, margin, available: available(budget) },
    used: sumTokens(entries),
    slots: perSlot,
    entries,
    displaced: displaced(perSlot),
    ...(cut ? { cut } : {}),
    ...(model === undefined ? {} : { model }),
  }
}

/** A layer in front of the input moves away with the next turn, and the input behind it shifts with it. */
function displaced(perSlot: Readonly<Record<Slot, number>>): number {
  const moving = perSlot['before-input']
  return perSlot['after-input'] + (moving > 0 ? moving + perSlot.input : 0)
}
