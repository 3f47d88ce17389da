import type { Cut } from './cut.ts'
import type { Origin } from './layer.ts'
import type { PlacementPrices } from './placement.ts'
import type { Reason } from './reason.ts'

/** Reading order of a request. */
export type Slot = 'tools' | 'system' | 'preamble' | 'history' | 'before-input' | 'input' | 'after-input'

/** In reading order. */
export const slots: readonly Slot[] = ['tools', 'system', 'preamble', 'history', 'before-input', 'input', 'after-input']

/** What people call what is in each. */
export const slotTitles: Readonly<Record<Slot, string>> = {
  tools: 'Tools',
  system: 'Instructions',
  preamble: 'Background',
  history: 'Conversation',
  'before-input': 'Before the message',
  input: 'Your message',
  'after-input': 'After the message',
}

/** What became of a candidate: in its fullest form, in a smaller one, or not at all. */
type Outcome = 'included' | 'reduced' | 'omitted'

/** The account of one candidate. */
export interface ManifestEntry {
  readonly id: string
  readonly layer: string
  /** What people call it, on one line, where its id says nothing: the name of a file. */
  readonly name?: string
  readonly slot: Slot
  readonly outcome: Outcome
  /** The rendition that went in; absent where nothing did. */
  readonly form?: string
  /** What it costs in this request. */
  readonly tokens: number
  /** What its fullest form would cost. */
  readonly fullTokens: number
  readonly reason?: Reason
  readonly origin: Origin
  /** SHA-256 of what went in, written by the runtime when it seals the manifest. */
  readonly digest?: string
  /** What a layer costs at its place and at its other place; written by the runtime, which knows the calls before. */
  readonly places?: PlacementPrices
}

/** The account of one call: every candidate once, what became of it, what it cost and why. */
export interface Manifest {
  readonly version: 1
  readonly layout: string
  readonly counter: { readonly id: string; readonly version: string }
  readonly budget: {
    readonly window: number
    readonly reserve: number
    readonly margin: number
    readonly available: number
  }
  /** Prompt tokens of this call by `counter`. */
  readonly used: number
  readonly slots: Readonly<Record<Slot, number>>
  /** In reading order. */
  readonly entries: readonly ManifestEntry[]
  /**
   * Tokens of this request that the next turn cannot read from a prompt cache because of the placement of layers: the tail
   * layers, and the input behind a layer that moves along.
   */
  readonly displaced: number
  /** Marks for the next call of this conversation. */
  readonly cut?: Cut
  readonly model?: string
}
