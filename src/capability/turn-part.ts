import type { Layer, Layout } from '../context.ts'
import type { ModelFacts } from '../model.ts'
import type { CitationSource } from '../session.ts'
import type { Tool } from '../tool.ts'
import type { TurnPreset } from './session-choice.ts'

/** The turn that is about to be answered. */
export interface TurnQuestion {
  /** Absent for a session that is not there yet. */
  readonly session?: string
  /** Absent in a preview. */
  readonly turn?: string
  readonly text: string
  /** Ids of files that came with the message. In a preview they need not be the session's yet. */
  readonly attachments?: readonly string[]
  /** The system prompt that came with the input, in place of every other. */
  readonly system?: string
  /** What the session has chosen, by the name of the choice, defaults worked in, without what is gone (`preset`). */
  readonly choices: Readonly<Record<string, string>>
  /** As a choice has it (`TurnPreset`). */
  readonly only?: TurnPreset['only']
  readonly layout: Layout
  /** `provider/model`. */
  readonly model: string
  readonly facts: ModelFacts
  /** Tokens: the whole window, and the room for the answer. */
  readonly window: number
  readonly reserve: number
  /** `false` in a preview: nothing is written, and no model is asked. */
  readonly keeps: boolean
  readonly signal?: AbortSignal
}

/** What a capability gives one turn. */
export interface TurnPart {
  readonly tools?: readonly Tool[]
  /** Words about tools among `tools`, after those of the capability: when to use them. */
  readonly promptBlocks?: readonly PromptBlock[]
  /** Names of tools of the capability that its `tools` stand in the place of. */
  readonly without?: readonly string[]
  /** Asked for every call of the turn, beside the capability's own `layers`. */
  layers?(context: LayerContext): readonly Layer[] | Promise<readonly Layer[]>
  /** Documents that are part of the request itself, with the numbers they are cited by. */
  readonly sources?: readonly CitationSource[]
  /** Text of others may come into a call by it, so that the rule about such text is sent. */
  readonly readsForeign?: boolean
  /** Sessions whose words a layer holds: what is recorded of it is removed with them. */
  holds?(layer: string): readonly string[] | undefined
  /**
   * The same in at most `room` tokens. Asked once, with what everything else leaves beside an ordinary message, where the
   * part takes its size from the room (BEHAVIOURS §3.5). Not asked in layouts that do not limit it.
   */
  within?(room: number): TurnPart | Promise<TurnPart>
}

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
  /** As a choice has it (`TurnPreset`). */
  readonly only?: TurnPreset['only']
  /** The system prompt that came with the input, or the one that a choice puts in place of the home's. */
  readonly system?: NonNullable<TurnPreset['system']>
  /** Prompt blocks of all capabilities, in their order. */
  readonly promptBlocks: readonly PromptBlock[]
  /** What others wrote may come into this call: a file, a page, what a tool answers. */
  readonly readsForeign: boolean
  /** Something in this turn has numbers that can be cited. */
  readonly cites: boolean
}

/** Words for the prompt together with the tools that they are about (BEHAVIOURS §2.1). */
export interface PromptBlock {
  readonly id: string
  readonly version: string
  readonly description: string
  readonly promptBlock: string
  readonly tools: readonly Tool[]
}
