import type { Layer } from '../context.ts'
import type { Tool } from '../tool.ts'

/**
 * One capability: layers for the model to read, tools for it to call, and a life between start and stop. Plugins read
 * the world at `start` and at `reload`, and keep what they read, so that nothing changes in the middle of a turn.
 */
export interface Plugin {
  readonly name: string
  readonly version: string
  /** Called for every step. A throw ends the turn: no request is sent with something missing that nobody can see. */
  layers?(context: LayerContext): Promise<readonly Layer[]>
  /** The same tools in the same order until the next `reload`. */
  tools?(): readonly Tool[]
  /** A throw keeps the whole runtime from starting: what can be done without is a warning instead. */
  start?(): Promise<void>
  /** Reads again what `start` read. Called between turns. */
  reload?(): Promise<void>
  stop?(): Promise<void>
  /** What was wrong with what was read last, in sentences that name the place. */
  warnings?(): readonly string[]
}

/** What a layer may depend on. Nothing else: the same context gives the same layers until the next `reload`. */
export interface LayerContext {
  /** When the input came: ISO 8601. */
  readonly time: string
  /** Name of the layout, such as `auto`; `auto+` where it was changed. */
  readonly layout: string
  /** Names of the tools that are offered in this step, in their order. */
  readonly tools: readonly string[]
  /** Absent for a call that belongs to no session. */
  readonly session?: string
  readonly turn?: string
  /** `provider/model`. */
  readonly model?: string
}
