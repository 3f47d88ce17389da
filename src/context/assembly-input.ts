import type { Attachment } from './attachment.ts'
import type { EarlierTurns, UndoneTurn } from './conversation-input.ts'
import type { NotesInput } from './conversation-note.ts'
import type { ImageSupport } from './image-marker.ts'
import type { Layer } from './layer.ts'
import type { AssemblyLayout } from './layout.ts'
import type { Cut } from './cut.ts'
import type { TokenCounter } from './token-counter.ts'
import type { ToolDefinition } from './tool-definition.ts'
import type { Turn } from './turn.ts'

/** Everything that decides what a model reads. Time, files and identity have become part of a layer before. */
export interface AssemblyInput {
  readonly layout: AssemblyLayout
  readonly layers: readonly Layer[]
  /** Settled turns, oldest first. */
  readonly history: readonly Turn[]
  readonly current: Turn
  readonly attachments?: readonly Attachment[]
  /** What may be called. One with `offeredWith` is offered where what it reads is announced, and costs nothing elsewhere. */
  readonly tools?: readonly ToolDefinition[]
  readonly budget: Budget
  readonly counter: TokenCounter
  /** The `cut` of the manifest of this conversation's last call. */
  readonly cut?: Cut
  /** The notes on what earlier cuts took out; absent: turns are left out without one. Only where the layout has room for them. */
  readonly notes?: NotesInput
  /** Older turns that were not loaded because they can no longer fit. */
  readonly earlier?: EarlierTurns
  /** Turns of this conversation that were taken back, oldest first. None of them is among the `history`. */
  readonly undone?: readonly UndoneTurn[]
  /** Which images reach the model; in the place of the others a marker is sent. Absent: all of them do. */
  readonly images?: ImageSupport
  /** Stands in the manifest, nothing more. */
  readonly model?: string
}

/** All in prompt tokens of one call. */
export interface Budget {
  /** The most tokens that the model accepts, prompt and answer together. */
  readonly window: number
  /** Room for the answer. */
  readonly reserve: number
  /** Room for the counter's own error. */
  readonly margin?: number
}

/** `window` − `reserve` − `margin`, never below zero. */
export function available({ window, reserve, margin = 0 }: Budget): number {
  return Math.max(0, window - reserve - margin)
}
