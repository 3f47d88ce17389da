import { type Manifest, slots } from './manifest.ts'

/** What must stand does not fit. Carries the account of what was wanted; nothing was sent. */
export class ContextOverflowError extends Error {
  override readonly name = 'ContextOverflowError'
  readonly code = 'context-overflow'
  readonly manifest: Manifest

  constructor(manifest: Manifest) {
    super(messageFor(manifest))
    this.manifest = manifest
  }
}

function messageFor({ used, budget, slots: perSlot }: Manifest): string {
  const parts = slots.filter((slot) => perSlot[slot] > 0).map((slot) => `${slot} ${perSlot[slot]}`)
  return (
    `What must be sent needs ${used} tokens, and ${budget.available} are available ` +
    `(window ${budget.window} − reserve ${budget.reserve} − margin ${budget.margin}): ${parts.join(', ')}. ` +
    'Shorten the input or the required layers, or choose a model with a larger window.'
  )
}
