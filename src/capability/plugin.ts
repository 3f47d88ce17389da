import type { Layer, Layout, Reason } from '../context.ts'
import type { WithheldTool } from './withheld-tool.ts'
import type { PromptDocument } from '../citation.ts'
import type { SubjectReading } from '../capabilities/subjects/core.ts'
import type { Tool } from '../tool.ts'
import type { CustomAgent, Project } from '../capabilities/agents/custom-agent.ts'
import type { PromptBlock } from './prompt-block.ts'

/**
 * One capability: layers for the model to read, tools for it to call, and a life between start and stop. Plugins read
 * the world at `start` and at `reload`, and keep what they read, so that nothing changes in the middle of a turn.
 */
export interface Plugin {
  readonly name: string
  readonly version: string
  /** Called for every step. A throw ends the turn: no request is sent with something missing that nobody can see. */
  layers?(context: PluginContext): Promise<readonly Layer[]>
  /** What `{{date}}` in a prompt stands for: words that can stand in a sentence. */
  date?(context: PluginContext): string
  /** The same tools in the same order until the next `reload`, or until one of `withheld` is accepted. */
  tools?(): readonly Tool[]
  /** Capabilities: their tools are offered, and their prompt blocks are sent as the layout has it. As stable as `tools`. */
  skills?(): readonly PromptBlock[]
  /** Resolves when what is started late is there, or was waited for long enough. Asked before each turn. Never rejects. */
  ready?(): Promise<void>
  /** Tools of others whose definition is not the one that was accepted: not offered until the owner accepts. */
  withheld?(): readonly WithheldTool[]
  /** Accepts the definition with this digest. Answers false where no tool of that name and digest is withheld. */
  accept?(tool: string, digest: string): Promise<boolean>
  /** A throw keeps the whole runtime from starting: what can be done without is a warning instead. */
  start?(): Promise<void>
  /** Reads again what `start` read. Called between turns. */
  reload?(): Promise<void>
  stop?(): Promise<void>
  /** What was wrong with what was read last, in sentences that name the place. */
  warnings?(): readonly string[]
}

/** What a layer may depend on. Nothing else: the same context gives the same layers until the next `reload`. */
export interface PluginContext {
  /** When the input came: ISO 8601. */
  readonly time: string
  /** The layout of this call. What depends on it reads its fields, never its name. */
  readonly layout: Layout
  /** Names of the tools that may be offered in this step, in their order: one with `offeredWith` is where its layer stands. */
  readonly tools: readonly string[]
  /** Capabilities of all plugins, in the order of the plugins, whether or not their tools are offered. None where absent. */
  readonly skills?: readonly PromptBlock[]
  /** `false`: nothing can be called in this call, so words about how to call something would be of no use. */
  readonly callsTools?: boolean
  /** Absent for a call that belongs to no session. */
  readonly session?: string
  readonly turn?: string
  /** `provider/model`. */
  readonly model?: string
  /** The system prompt as its owner edited it, in place of the one in the home. */
  readonly prompt?: string
  /** The system prompt that came with the input of this turn, in place of every other. */
  readonly system?: string
  /** The custom agent that answers; absent: the default agent. */
  readonly agent?: CustomAgent
  readonly project?: Project
  readonly files?: ProjectFiles
  /** What the session is about, as it was when the turn began. */
  readonly subject?: SubjectReading
  /** What is remembered of earlier sessions, as it was when the turn began; absent where that is switched off. */
  readonly memory?: MemoryReading
  /** Something that others wrote may come into this call: a file, a page, what a tool answers. */
  readonly readsForeign?: boolean
  /** Something in this turn has numbers that can be cited. */
  readonly cites?: boolean
}

/** What a turn is given of what was said and done before. A part that is switched off is absent. */
export interface MemoryReading {
  /** About the last session of the conversation. */
  readonly previous?: RememberedText
  /** Calls of tools that the words of the message find, one in a line. */
  readonly tools?: RememberedText
}

/** A text about earlier sessions, in which every line is framed. */
export interface RememberedText {
  /** Empty where there is nothing to remember. */
  readonly text: string
  /** Sessions whose words it holds. */
  readonly sessions: readonly string[]
  /** `provider/model` that put it into words; absent where it was taken from the log by rule. */
  readonly by?: string
}

/** The files of a project, as a call sends them. */
export interface ProjectFiles {
  /** With their numbers; none where they are not sent. */
  readonly documents: readonly PromptDocument[]
  /** Of all of them, by the model-agnostic counter. */
  readonly tokens: number
  /** The numbers that decided; absent where there is no file to decide about. */
  readonly reason: Reason | undefined
  /** Spreadsheets: listed, never sent. */
  readonly tables: readonly { readonly id: string; readonly name: string; readonly sheets: readonly string[] }[]
}
