import type { Origin } from './layer.ts'
import type { ManifestEntry, Slot } from './manifest.ts'
import type { Reason } from './reason.ts'
import { type PricedAttachment, sumFullTokens } from './priced-turn.ts'
import type { PricedMessage } from './tool-output.ts'

/** One line of the account together with the messages it put into the request. */
export interface Section {
  readonly entry: ManifestEntry
  readonly messages: readonly PricedMessage[]
}

/** A candidate that went in as it is. */
export function included(
  about: { id: string; layer: string; slot: Slot; form: string; tokens: number; origin: Origin },
  messages: readonly PricedMessage[],
): Section {
  return { entry: { ...about, outcome: 'included', fullTokens: about.tokens }, messages }
}

/** Messages that went in whole, perhaps with markers in the place of images: a form of its own. */
export function standing(
  about: { id: string; layer: string; slot: Slot; tokens: number; origin: Origin },
  messages: readonly PricedMessage[],
): Section {
  const reason = markerReason(messages)
  if (!reason) return included({ ...about, form: 'full' }, messages)
  const fullTokens = sumFullTokens(messages)
  return { entry: { ...about, form: 'image-marker', outcome: 'reduced', fullTokens, reason }, messages }
}

/** Messages whose tool results are smaller, perhaps with markers in the place of images too: the reason then counts them. */
export function reduced(
  about: { id: string; layer: string; slot: Slot; form: string; tokens: number; reason: Reason; origin: Origin },
  messages: readonly PricedMessage[],
  full: readonly PricedMessage[],
): Section {
  const images = markerReason(messages)?.['images']
  const reason = images === undefined ? about.reason : { ...about.reason, images }
  return { entry: { ...about, outcome: 'reduced', fullTokens: sumFullTokens(full), reason }, messages }
}

function markerReason(messages: readonly PricedMessage[]): Reason | undefined {
  const marked = messages.flatMap((message) => message.marked ?? [])
  const [first] = marked
  return first && { code: first.code, images: marked.reduce((sum, { images }) => sum + images, 0) }
}

/** A candidate that was left out. */
export function omitted(about: {
  id: string
  layer: string
  slot: Slot
  fullTokens: number
  reason: Reason
  origin: Origin
}): Section {
  const { id, layer, slot, fullTokens, reason, origin } = about
  return { entry: { id, layer, slot, outcome: 'omitted', tokens: 0, fullTokens, reason, origin }, messages: [] }
}

/** The files that came with a turn; left out where there is a reason. */
export function attachmentSections(
  attachments: readonly PricedAttachment[],
  slot: 'history' | 'input',
  reason?: Reason,
): readonly Section[] {
  return attachments.map((attachment) => {
    const { id, tokens } = attachment
    const origin: Origin = { kind: 'file', ref: id }
    if (reason) return omitted({ id, layer: 'attachment', slot, fullTokens: tokens, reason, origin })
    return included({ id, layer: 'attachment', slot, form: 'full', tokens, origin }, [attachment])
  })
}
