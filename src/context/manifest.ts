import type { Origin } from './layer.ts'

/** Reading order of a request. */
export type Slot = 'tools' | 'system' | 'preamble' | 'history' | 'before-input' | 'input' | 'after-input'

/** In reading order. */
export const slots: readonly Slot[] = ['tools', 'system', 'preamble', 'history', 'before-input', 'input', 'after-input']

/** What became of a candidate: in its fullest form, in a smaller one, or not at all. */
export type Outcome = 'included' | 'reduced' | 'omitted'

/** Why a candidate gave way, or why it is there. Numbers that belong to the reason stand beside its code. */
export interface Reason {
  readonly code: ReasonCode
  readonly [number: string]: number | string
}

/** Why a candidate is not all there, or, for `project-fits`, why it is. */
export type ReasonCode =
  /** The head wanted more than its share. */
  | 'head-share'
  /** What must stand did not fit. */
  | 'shortage'
  /** The history was cut down to its low-water mark, in this call or an earlier one. */
  | 'low-water'
  /** Older than what fits. */
  | 'budget'
  /** A call without its result, or a result without its call. */
  | 'unpaired'
  /** A person took the turn back. */
  | 'undone'
  /** A kept history begins with a user message. */
  | 'not-led-by-user'
  /** Nothing but white space. */
  | 'blank'
  /** An attachment of a turn that is not part of the input. */
  | 'no-such-turn'
  /** A marker is sent in the place of `images`: the model cannot see them. */
  | 'model-cannot-see'
  /** A marker is sent in the place of `images`: their bytes are no longer there. */
  | 'image-gone'
  /** A marker is sent in the place of `images`: the provider's wire has no place for them. */
  | 'wire-cannot-carry'
  /** The files of a project together are below `limit`: they are sent in full. */
  | 'project-fits'
  /** The files of a project together are not below `limit`: they can be searched. */
  | 'project-too-large'
  /** The history is sent as messages, so it is not sent as text a second time. */
  | 'sent-as-messages'
  /** Its owner chose to send no system prompt, or it would only have been filled into one. */
  | 'no-system-prompt'

/** The account of one candidate. */
export interface ManifestEntry {
  readonly id: string
  readonly layer: string
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
}

/** Where the last cut was made. What stands before a mark stays as the cut left it until the next one. */
export interface Cut {
  /** Everything before this turn is left out. Where single messages are cut: `TURN/INDEX` or `TURN/FILE`. */
  readonly dropBefore?: string
  /** Tool results before this turn, or before this message of one (`TURN/INDEX`), are cleared. */
  readonly clearBefore?: string
  /** Tool results before this turn or message are excerpts, unless they are cleared. */
  readonly excerptBefore?: string
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
   * Tokens of this request that the next turn cannot take from a prompt cache because of where layers stand: the tail
   * layers, and the input behind a layer that moves along.
   */
  readonly displaced: number
  /** Marks for the next call of this conversation. */
  readonly cut?: Cut
  readonly model?: string
}
