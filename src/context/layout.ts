import type { FileFrame } from './attachment.ts'
import type { Placement, Priority } from './layer.ts'

/** A named choice of where layers stand, how hard they hold on, and how history is cut (docs/guide/layouts.md). */
export interface Layout {
  readonly name: string
  /** By the name of the layer. Within a slot layers stand in the order of these names; others follow as they were declared. */
  readonly placements: Readonly<Record<string, Placement | PlacementBySize>>
  readonly priorities: Readonly<Record<string, Priority>>
  readonly cut: CutRule
  /** Share of the available tokens that tools, system and preamble may take together, 0 to 1. */
  readonly headShare: number
  /** Whether pieces step down to smaller forms before anything is left out. */
  readonly shrinks: boolean
  /** How an attached file is told from what people say. */
  readonly fileFrame: FileFrame
  /**
   * Names of the layers whose text brings its own line ends. The others of the system text are trimmed then, and an empty line
   * follows each (BEHAVIOURS §1.3). Absent: system layers are joined by an empty line.
   */
  readonly ownSpacing?: readonly string[]
  /** Whether the part of an answer that was interrupted is sent with the history. */
  readonly keepsPartialAnswers: boolean
  readonly prompt: PromptRule
  /** Whether the date is a layer of its own. Otherwise it is only filled into a prompt that asks for it. */
  readonly tellsDate: boolean
  /** Whether the owner is warned where the persona files are missing. */
  readonly expectsPersona: boolean
  readonly skills: SkillsRule
  readonly memory: MemoryRule
  readonly citations: CitationRule
  /** Whether the files of a project leave room for an ordinary message, or are sent in full up to their own limit. */
  readonly reservesForMessage: boolean
}

/** The system prompt of a home. */
interface PromptRule {
  /** A line above it; none where absent. */
  readonly heading?: string
  /** What is sent where its owner wrote none. The packaged prompt where absent; nothing where empty. */
  readonly fallback?: string
}

/** How the model is told of skills and of other capabilities. */
interface SkillsRule {
  /**
   * The layer of the prompt blocks of capabilities that are offered: under headings, those without tools too (`skills`), those
   * of tools alone (`tool-guidance`), or none.
   */
  readonly guidance: 'skills' | 'tool-guidance' | 'none'
  /** Whether each skill is a capability with a prompt block of its own, and not a part of the layer `skills`. */
  readonly asCapabilities: boolean
  /** Whether the number and the size of skills decide how they are shown and found. Otherwise they are sent in full unless configured. */
  readonly followSize: boolean
  /** Whether a list of skills has their descriptions in one line each. */
  readonly summaries: boolean
}

/** What is sent of earlier sessions. */
interface MemoryRule {
  /** Whether it is on where the configuration does not say. */
  readonly isUsual: boolean
  /** `memory`: one layer for all of it. `apart`: the layers `previous-session` and `tool-history`. */
  readonly layers: 'memory' | 'apart'
}

/** When the model is told how to cite. */
interface CitationRule {
  /** Whether documents of a project that stand in the request can be cited from the first step on, and not only after a search. */
  readonly fromFirstStep: boolean
  /** Whether the words about it may be filled into the system prompt, where they change in the middle of a turn. */
  readonly inPrompt: boolean
}

/** How history is cut. */
export interface CutRule {
  /** What is dropped: whole turns, or single messages. */
  readonly unit: 'turn' | 'message'
  /** Share of what is available that a cut leaves filled, current turn included, 0 to 1. 1 is a just-fit cut at every call. */
  readonly lowWater: number
}

/** A large layer is worth caching, a small one is worth standing next to the newest message. */
export interface PlacementBySize {
  /** Tokens of the fullest rendition from which a layer is large. */
  readonly from: number
  readonly large: Placement
  readonly small: Placement
}

/** A layout by name, one with changes, or a whole one. */
export type LayoutChoice = string | LayoutChanges | Layout

/** A layout with changes: what is not given stays as in the one it extends. */
export interface LayoutChanges {
  readonly extends: string
  readonly placements?: Readonly<Record<string, Placement>>
  readonly priorities?: Readonly<Record<string, Priority>>
  readonly cut?: Partial<CutRule>
  readonly headShare?: number
}

/** What `layout` completes: what is not given is as in the layout that it extends. */
export interface LayoutDefinition {
  readonly name: string
  /** Foreword's own layout unless given. */
  readonly extends?: string | Layout
  /** The names that are given come first, in their order. */
  readonly placements?: Layout['placements']
  readonly priorities?: Layout['priorities']
  readonly cut?: Partial<CutRule>
  readonly headShare?: number
  readonly shrinks?: boolean
  readonly fileFrame?: FileFrame
  readonly ownSpacing?: readonly string[]
  readonly keepsPartialAnswers?: boolean
  readonly prompt?: PromptRule
  readonly tellsDate?: boolean
  readonly expectsPersona?: boolean
  readonly skills?: Partial<SkillsRule>
  readonly memory?: Partial<MemoryRule>
  readonly citations?: Partial<CitationRule>
  readonly reservesForMessage?: boolean
}
