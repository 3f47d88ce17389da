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

function messageFor(manifest: Manifest): string {
  const { used, budget, slots: perSlot } = manifest
  const parts = slots.filter((slot) => perSlot[slot] > 0).map((slot) => `${slot} ${perSlot[slot]}`)
  return (
    `What must be sent needs ${used} tokens, and ${budget.available} are available ` +
    `(window ${budget.window} − reserve ${budget.reserve} − margin ${budget.margin}): ${parts.join(', ')}. ` +
    `${fileTooLarge(manifest)}Shorten the input or the required layers, or choose a model with a larger window.`
  )
}

/** A file that came with the message is never dropped (BEHAVIOURS §3.1): whoever sent it has to know that it is the file. */
function fileTooLarge({ entries, budget }: Manifest): string {
  const file = entries
    .filter(({ layer, slot }) => layer === 'attachment' && slot === 'input')
    .reduce<Manifest['entries'][number] | undefined>(
      (most, each) => (most && most.tokens >= each.tokens ? most : each),
      undefined,
    )
  if (!file || file.tokens * 2 < budget.available) return ''
  return `The file ${file.id} alone needs ${file.tokens}: in a project it would be searched instead. `
}
