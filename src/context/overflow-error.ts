import { type Manifest, slots } from './manifest.ts'
import { largestChange } from './largest-change.ts'

/** What must stand does not fit. Carries the account of what was wanted; nothing was sent. */
export class ContextOverflowError extends Error {
  override readonly name = 'ContextOverflowError'
  readonly code = 'context-overflow'
  readonly manifest: Manifest
  /** Tokens. */
  readonly facts: Readonly<Record<'used' | 'available' | 'window' | 'reserve' | 'margin', number>>

  /** `refusal`: what the provider said of the same prompt before, in a sentence. */
  constructor(manifest: Manifest, refusal?: string) {
    super(refusal === undefined ? messageFor(manifest) : `${refusal} ${messageFor(manifest)}`)
    this.manifest = manifest
    this.facts = { used: manifest.used, ...manifest.budget }
  }
}

function messageFor(manifest: Manifest): string {
  const { used, budget, slots: perSlot } = manifest
  const parts = slots.filter((slot) => perSlot[slot] > 0).map((slot) => `${slot} ${perSlot[slot]}`)
  return (
    `What must be sent needs ${used} tokens, and ${budget.available} are available ` +
    `(window ${budget.window} − reserve ${budget.reserve} − margin ${budget.margin}): ${parts.join(', ')}. ` +
    remedy(manifest)
  )
}

function remedy(manifest: Manifest): string {
  if (manifest.budget.available === 0) {
    return 'The reserve and the margin take the whole window: lower them, or choose a model with a larger window.'
  }
  return [largestChange(manifest), 'Shorten the input or the required layers, or choose a model with a larger window.']
    .filter((sentence) => sentence !== '')
    .join(' ')
}
