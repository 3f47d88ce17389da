import type { Layout } from '../context.ts'
import type { PromptBlock } from './prompt-block.ts'
import type { TurnPreset } from './session-choice.ts'

/** What a layer may depend on. Nothing else: the same context gives the same layers until the next `reload`. */
export interface LayerContext {
  /** When the input came: ISO 8601. */
  readonly time: string
  readonly layout: Layout
  /** Names of the tools that are offered in this call, in their order. */
  readonly tools: readonly string[]
  /** `false`: nothing can be called in this call, so words about how to call something would be of no use. */
  readonly callsTools: boolean
  /** Absent for a call that belongs to no session. */
  readonly session?: string
  readonly turn?: string
  /** `provider/model`. */
  readonly model?: string
  /** What the session has chosen, by the name of the choice. */
  readonly choices: Readonly<Record<string, string>>
  /** The system prompt that came with the input, or the one that a choice puts in place of the home's. */
  readonly system?: NonNullable<TurnPreset['system']>
  /** Prompt blocks of all capabilities, in their order. */
  readonly promptBlocks: readonly PromptBlock[]
  /** What others wrote may come into this call: a file, a page, what a tool answers. */
  readonly readsForeign: boolean
  /** Something in this turn has numbers that can be cited. */
  readonly cites: boolean
}
