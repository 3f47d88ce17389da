import { available, type Budget } from './assembly-input.ts'
import { exactLine } from './exact-text.ts'
import type { Origin } from './layer.ts'
import type { AssemblyLayout } from './layout.ts'
import type { Cut } from './cut.ts'
import { type Manifest, type ManifestEntry, type Slot, slots } from './manifest.ts'
import { type Unpaired, type PricedAttachment, sumFullTokens, sumTokens } from './priced-turn.ts'
import type { Reason } from './reason.ts'
import { messageTokens, type TokenCounter } from './token-counter.ts'
import { type FormedMessage, outputForms, type PricedMessage } from './tool-output.ts'

/** One line of the account together with the messages it put into the request. */
export interface Section {
  readonly entry: ManifestEntry
  readonly messages: readonly PricedMessage[]
}

/** A candidate that went in as it is. */
export function includedSection(
  about: { id: string; layer: string; name?: string; slot: Slot; form: string; tokens: number; origin: Origin },
  messages: readonly PricedMessage[],
): Section {
  return { entry: { ...about, outcome: 'included', fullTokens: about.tokens }, messages }
}

/** Messages that went in whole, perhaps with markers in the place of images: a form of its own. */
export function wholeSection(
  about: { id: string; layer: string; slot: Slot; tokens: number; origin: Origin },
  messages: readonly PricedMessage[],
): Section {
  const reason = markerReason(messages)
  if (!reason) return includedSection({ ...about, form: 'full' }, messages)
  const fullTokens = sumFullTokens(messages)
  return { entry: { ...about, form: 'image-marker', outcome: 'reduced', fullTokens, reason }, messages }
}

/** Messages whose tool results are smaller, perhaps with markers in the place of images too: the reason then counts them. */
export function reducedSection(
  about: { id: string; layer: string; slot: Slot; form: string; tokens: number; reason: Reason; origin: Origin },
  messages: readonly PricedMessage[],
  full: readonly PricedMessage[],
): Section {
  const images = markerReason(messages)?.['images']
  const reason = images === undefined ? about.reason : { ...about.reason, images }
  return { entry: { ...about, outcome: 'reduced', fullTokens: sumFullTokens(full), reason }, messages }
}

/** The messages of a turn as they are sent; `full` are the same ones before their tool results stepped down. */
export function turnSection(
  id: string,
  slot: 'history' | 'input',
  messages: readonly FormedMessage[],
  full: readonly PricedMessage[],
  reason: Reason,
): Section {
  const form = outputForms.findLast((each) => messages.some((message) => message.form === each)) ?? 'full'
  const origin: Origin = { kind: 'user', ref: id }
  const about = { id, layer: 'turn', slot, tokens: sumTokens(messages), origin }
  return form === 'full' ? wholeSection(about, messages) : reducedSection({ ...about, form, reason }, messages, full)
}

function markerReason(messages: readonly PricedMessage[]): Reason | undefined {
  const marked = messages.flatMap((message) => message.marked ?? [])
  const [first] = marked
  return first && { code: first.code, images: marked.reduce((sum, { images }) => sum + images, 0) }
}

/** A candidate that was left out. */
export function omittedSection(about: {
  id: string
  layer: string
  name?: string
  slot: Slot
  fullTokens: number
  reason: Reason
  origin: Origin
}): Section {
  const { id, layer, name, slot, fullTokens, reason, origin } = about
  const named = { id, layer, ...(name === undefined ? {} : { name }), slot }
  return { entry: { ...named, outcome: 'omitted', tokens: 0, fullTokens, reason, origin }, messages: [] }
}

/** The files that came with a turn; left out where there is a reason. */
export function attachmentSections(
  attachments: readonly PricedAttachment[],
  slot: 'history' | 'input',
  reason?: Reason,
): readonly Section[] {
  return attachments.map((attachment) => {
    const { id, name, tokens, announces } = attachment
    const origin: Origin = announces?.origin ?? { kind: 'file', ref: id }
    const named = announces ? { layer: 'head-change' } : { layer: 'attachment', name: exactLine(name) }
    const about = { id, ...named, slot, origin }
    if (reason) return omittedSection({ ...about, fullTokens: tokens, reason })
    return includedSection({ ...about, form: 'full', tokens }, [attachment])
  })
}

/** The account of a call, from what became of every candidate. */
export function buildManifest(
  {
    layout,
    budget,
    counter,
    model,
  }: { layout: Pick<AssemblyLayout, 'name'>; budget: Budget; counter: TokenCounter; model?: string },
  sections: readonly Pick<Section, 'entry'>[],
  cut: Cut | undefined,
): Manifest {
  const entries = sections.map((section) => section.entry)
  const perSlot = Object.fromEntries(
    slots.map((slot) => [slot, sumTokens(entries.filter((entry) => entry.slot === slot))]),
  ) as Record<Slot, number>
  const { window, reserve, margin = 0 } = budget
  const moving = perSlot['before-input']
  return {
    version: 1,
    layout: layout.name,
    counter: { id: counter.id, version: counter.version },
    budget: { window, reserve, margin, available: available(budget) },
    used: sumTokens(entries),
    slots: perSlot,
    entries,
    // A layer in front of the input moves away with the next turn, and the input behind it shifts with it.
    displaced: perSlot['after-input'] + (moving > 0 ? moving + perSlot.input : 0),
    ...(cut ? { cut } : {}),
    ...(model === undefined ? {} : { model }),
  }
}

/** Calls and results that were taken out because their partner is missing. */
export function unpairedSections(
  turn: string,
  unpaired: readonly Unpaired[],
  slot: 'history' | 'input',
  counter: TokenCounter,
): readonly Section[] {
  return unpaired.map(({ toolCallId, message, tokens }, index) =>
    omittedSection({
      id: `${turn}/unpaired-${index + 1}`,
      layer: 'unpaired',
      slot,
      fullTokens: tokens ?? messageTokens(counter, message),
      reason: { code: 'unpaired', toolCallId },
      origin: message.role === 'tool' ? { kind: 'tool', ref: toolCallId } : { kind: 'model', ref: toolCallId },
    }),
  )
}
