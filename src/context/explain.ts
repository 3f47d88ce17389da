import { numberText } from './entry-words.ts'
import type { Manifest, ManifestEntry, Slot } from './manifest.ts'
import type { Reason, ReasonCode } from './reason.ts'

const HEAD: readonly Slot[] = ['tools', 'system', 'preamble']

/** Why a candidate is not sent in full, with the numbers that decided; `undefined` where it is, and no reason is given. Pure. */
export function reasonSentence(entry: ManifestEntry, manifest: Manifest): string | undefined {
  const { reason, outcome, tokens, fullTokens } = entry
  if (reason === undefined) return undefined
  const why = sentences[reason.code as ReasonCode] ?? ownCode
  const what =
    outcome === 'omitted'
      ? `It wanted ${numberText(fullTokens)} tokens. `
      : outcome === 'reduced'
        ? `It wanted ${numberText(fullTokens)} tokens and has ${numberText(tokens)}. `
        : ''
  return what + why(manifest, reason)
}

/** What became of a candidate that is not sent, as one line: `Turn: left out. It wanted …`. Pure. */
export function leftOutSentence(title: string, entry: ManifestEntry, manifest: Manifest): string {
  const why = reasonSentence(entry, manifest) ?? ''
  return `${title}: left out. ${why}`.trim()
}

type Sentence = (manifest: Manifest, reason: Reason) => string

const images: Sentence = (_, { images: count = 'its' }) => `A marker is sent in the place of ${count} images: `

const sentences: Readonly<Record<ReasonCode, Sentence>> = {
  'head-share': (manifest) =>
    `The head (tools, system and preamble) wanted ${numberText(wantedBy(manifest, HEAD))} tokens together, more than its share of the ` +
    `${numberText(manifest.budget.available)} that are available.`,
  shortage: (manifest) => `What has to be sent left ${freeTokens(manifest)} free.`,
  'low-water': (manifest) =>
    `The conversation no longer fitted, so its oldest part was cut in one go to leave room for the next turns: ${freeTokens(manifest)} free now.`,
  budget: (manifest) => `Only ${freeTokens(manifest)} free beside what is newer.`,
  unpaired: () => 'A call without its result, or a result without its call, is refused by providers.',
  undone: () => 'A person took the turn back.',
  'not-led-by-user': () => 'A conversation that is sent begins with a message of a person.',
  blank: () => 'It has no text.',
  'no-such-turn': () => 'The turn that it belongs to is not sent.',
  'model-cannot-see': (manifest, reason) => `${images(manifest, reason)}the model cannot see images.`,
  'image-gone': (manifest, reason) => `${images(manifest, reason)}their bytes are no longer stored.`,
  'wire-cannot-carry': (manifest, reason) =>
    `${images(manifest, reason)}the API of the provider has no place for them.`,
  'sent-as-messages': () => 'The same conversation is sent as messages.',
  'no-system-prompt': () => 'The owner chose to send no system prompt.',
}

/** A code of a layer source. */
const ownCode: Sentence = (_, { code }) => `Its source gives the reason ${JSON.stringify(code)}.`

function wantedBy({ entries }: Manifest, slots: readonly Slot[]): number {
  return entries.reduce((sum, { slot, fullTokens }) => sum + (slots.includes(slot) ? fullTokens : 0), 0)
}

function freeTokens({ budget, used }: Manifest): string {
  return `${numberText(Math.max(0, budget.available - used))} of ${numberText(budget.available)} tokens are`
}
