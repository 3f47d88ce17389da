import { countedText, numberText } from './entry-words.ts'
import type { AssemblyLayout } from './layout.ts'
import { type Manifest, type ManifestEntry, slots } from './manifest.ts'

/** What must be sent does not fit. Carries the manifest of the request; nothing was sent. */
export class ContextOverflowError extends Error {
  override readonly name = 'ContextOverflowError'
  readonly code = 'context-overflow'
  readonly manifest: Manifest
  /** Tokens. */
  readonly facts: Readonly<Record<'used' | 'available' | 'window' | 'reserve' | 'margin', number>>

  /** Of the layout that was used: the sentence about the largest part is made of it. */
  readonly advice: Advice

  /** `refusal`: the provider's error for the same prompt before. `advice`: that of the layout. */
  constructor(manifest: Manifest, refusal?: string, advice: Advice = {}) {
    const before = refusal === undefined ? '' : `${refusal.replace(/[^.!?]$/, '$&.')} `
    super(`${before}${messageFor(manifest, advice)}`)
    this.manifest = manifest
    this.advice = advice
    this.facts = { used: manifest.used, ...manifest.budget }
  }
}

type Advice = NonNullable<AssemblyLayout['advice']>

function messageFor(manifest: Manifest, advice: Advice): string {
  const { used, budget, slots: perSlot } = manifest
  const parts = slots.filter((slot) => perSlot[slot] > 0).map((slot) => `${slot} ${numberText(perSlot[slot])}`)
  return (
    `What must be sent needs ${countedText(used, 'token')}, and ${numberText(budget.available)} are available ` +
    `(window ${numberText(budget.window)} − reserve ${numberText(budget.reserve)} − margin ${numberText(budget.margin)}): ` +
    `${parts.join(', ')}. ` +
    remedy(manifest, advice)
  )
}

function remedy(manifest: Manifest, advice: Advice): string {
  if (manifest.budget.available === 0) {
    return 'The reserve and the margin use the whole window. Lower them, or choose a model with a larger window.'
  }
  return [
    largestChange(manifest, advice),
    'Shorten the input or the required layers, or choose a model with a larger window.',
  ]
    .filter((sentence) => sentence !== '')
    .join(' ')
}

/** A sentence that names the largest part of a request that a person can change, and how. Empty where there is none. */
function largestChange({ entries }: Manifest, advice: Advice): string {
  const [largest] = listCandidates(entries, advice).toSorted((one, other) => other.tokens - one.tokens)
  return largest?.sentence ?? ''
}

interface Candidate {
  readonly tokens: number
  readonly sentence: string
}

function listCandidates(entries: readonly ManifestEntry[], advice: Advice): readonly Candidate[] {
  const standing = entries.filter(({ tokens }) => tokens > 0)
  const tools = standing.filter(({ slot }) => slot === 'tools')
  const ofTools = tools.reduce((sum, { tokens }) => sum + tokens, 0)
  return [
    ...(ofTools > 0 ? [largestPart(`the list of ${tools.length} tools`, ofTools, 'offer fewer of them')] : []),
    // No part of the history is required.
    ...standing
      .filter(({ slot }) => slot !== 'tools' && slot !== 'history')
      .map((entry) => toCandidate(entry, advice, new Set(tools.map(({ id }) => id)))),
  ]
}

function toCandidate(
  { id, name: file = id, layer, tokens }: ManifestEntry,
  advice: Advice,
  tools: ReadonlySet<string>,
): Candidate {
  if (layer === 'turn') {
    return largestPart('the message with what answers it so far', tokens, 'shorten it, or ask for less at once')
  }
  const own: Partial<Advice[string]> = Object.hasOwn(advice, layer) ? advice[layer]! : {}
  const { name = `the layer "${id}"`, how: otherwise = 'shorten it', withTool = {} } = own
  const how = Object.entries(withTool).find(([tool]) => tools.has(tool))?.[1] ?? otherwise
  if (layer === 'attachment') return { tokens, sentence: `The file ${file} alone needs ${numberText(tokens)}: ${how}.` }
  return largestPart(name, tokens, how)
}

function largestPart(name: string, tokens: number, how: string): Candidate {
  return { tokens, sentence: `The largest part is ${name} (${numberText(tokens)}): ${how}.` }
}
