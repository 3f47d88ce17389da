import type { Reason } from './reason.ts'

/** Where a layer is placed. `system` and `preamble` are the head, the other two the tail (docs/words.md). */
export type Placement = 'system' | 'preamble' | 'before-input' | 'after-input'

/** In reading order. */
export const placements: readonly Placement[] = ['system', 'preamble', 'before-input', 'after-input']

/** The order in which layers give way: `low` first; a `required` layer may shrink but is never omitted. */
export type Priority = 'required' | 'high' | 'normal' | 'low'

/** From the first to give way to the last. */
export const priorities: readonly Priority[] = ['low', 'normal', 'high', 'required']

/** One version of the text of a layer. */
export interface Rendition {
  /** `full`, `excerpt`, `list`, or a name of your own. */
  readonly form: string
  readonly text: string
  /** Cost in tokens by the counter of the assembly. Counted when absent. */
  readonly tokens?: number
}

/** Where a piece of context comes from. Text from files, pages and tools never becomes an operator's layer. */
export interface Origin {
  readonly kind: 'operator' | 'user' | 'file' | 'web' | 'tool' | 'model'
  readonly ref: string
}

/** A named piece of context. Its placement and priority come from the layout unless they are given. */
export interface Layer {
  /** Unique within one assembly. */
  readonly id: string
  /** The name that a layout places, such as `instructions` or `skills`. */
  readonly layer: string
  /** Fullest first; at least one. */
  readonly renditions: readonly Rendition[]
  readonly placement?: Placement
  readonly priority?: Priority
  readonly origin?: Origin
  /** Why the layer was left out before anything was counted. The manifest lists it with what it would have cost. */
  readonly withheld?: Reason
  /** Why the layer is included, where numbers decided that: the manifest gives this reason for a layer that is included in full. */
  readonly because?: Reason
  /**
   * Its text is of others: layouts with frames put it into one, whose first line says that it is this, such as `files of a
   * project`.
   */
  readonly frame?: string
}

/** A text that neither the person nor the operator wrote, as a model reads it in a call. */
export interface ForeignText {
  readonly kind: 'file' | 'web' | 'tool'
  /** A path, an address, the name of a file, or the tool where nothing else is known. */
  readonly ref: string
  /** The tool whose result it is; absent for a layer and for an attached file. */
  readonly tool?: string
  /** Whose tool it is, for people: `the MCP server s`. */
  readonly owner?: string
  /** The model call of the turn in which it came in, from 1; absent where only one call is meant. */
  readonly step?: number
}
