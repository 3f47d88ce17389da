import { type Manifest, type ManifestEntry, slots } from './manifest.ts'

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

/** The largest thing in an account that a person could change, in a sentence that says how. Empty where nothing is there. */
function largestChange({ entries }: Manifest): string {
  const [largest] = candidatesOf(entries).toSorted((one, other) => other.tokens - one.tokens)
  return largest?.sentence ?? ''
}

interface Candidate {
  readonly tokens: number
  readonly sentence: string
}

function candidatesOf(entries: readonly ManifestEntry[]): readonly Candidate[] {
  const standing = entries.filter(({ tokens }) => tokens > 0)
  const tools = standing.filter(({ slot }) => slot === 'tools')
  const ofTools = tools.reduce((sum, { tokens }) => sum + tokens, 0)
  return [
    ...(ofTools > 0 ? [largestPart(`the list of ${tools.length} tools`, ofTools, 'offer fewer of them')] : []),
    // Of the history nothing has to stand.
    ...standing.filter(({ slot }) => slot !== 'tools' && slot !== 'history').map(candidateOf),
  ]
}

function candidateOf({ id, layer, tokens }: ManifestEntry): Candidate {
  if (layer === 'attachment') {
    return { tokens, sentence: `The file ${id} alone needs ${tokens}: in a project it would be searched instead.` }
  }
  const { name = `the layer "${id}"`, how = 'shorten it' } = Object.hasOwn(known, layer) ? known[layer]! : {}
  return largestPart(name, tokens, how)
}

function largestPart(name: string, tokens: number, how: string): Candidate {
  return { tokens, sentence: `The largest part is ${name} (${tokens}): ${how}.` }
}

/** What people call a layer, and what they can do about it. */
const known: Readonly<Record<string, { readonly name: string; readonly how: string }>> = {
  turn: { name: 'the message with what answers it so far', how: 'shorten it, or ask for less at once' },
  'system-prompt': { name: 'the system prompt', how: 'shorten it' },
  instructions: { name: 'the instructions', how: 'shorten AGENTS.md' },
  soul: { name: 'the soul', how: 'shorten it' },
  'user-profile': { name: 'the user profile', how: 'shorten it' },
  skills: { name: 'the skills', how: 'disable some, or let them be read on demand' },
  'custom-agent': { name: 'the prompt of the agent or the instructions of the project', how: 'shorten it' },
  project: { name: 'the files of the project', how: 'take some out of it' },
  subject: { name: 'the context of the subject', how: 'shorten its notes' },
  reminder: { name: 'the reminder', how: 'shorten it' },
}
