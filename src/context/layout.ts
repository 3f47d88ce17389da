import type { FileFrame } from './attachment.ts'
import type { NoteRule } from './conversation-note.ts'
import type { Placement, Priority } from './layer.ts'

/** What an assembly reads of a layout: where layers are placed, how hard they hold on, and how history is cut (docs/guide/layouts.md). */
export interface AssemblyLayout {
  readonly name: string
  /** By the name of the layer. Within a slot layers are in the order of these names; others follow as they were declared. */
  readonly placements: Readonly<Record<string, LayoutPlacement>>
  readonly priorities: Readonly<Record<string, Priority>>
  readonly cut: CutRule
  /** How much room notes on what was cut out have; absent where the layout has none. */
  readonly notes?: NoteRule
  /** Share of the available tokens that tools, system and preamble may use together, 0 to 1. */
  readonly headShare: number
  /** Whether pieces step down to smaller forms before anything is left out. */
  readonly shrinks: boolean
  /** How text of others, such as an attached file, is separated from the words of people. */
  readonly fileFrame: FileFrame
  /**
   * Names of the layers whose text brings its own line ends. The others of the system text are trimmed then, and an empty line
   * follows each (BEHAVIOURS §1.3). Absent: system layers are joined by an empty line.
   */
  readonly ownSpacing?: readonly string[]
  /** What people call its layers, and how they make them smaller: by the name of the layer. */
  readonly advice?: Readonly<Record<string, LayerAdvice>>
}

/** Where a layout places a layer. */
export type LayoutPlacement = Placement | PlacementBySize | PlacementByPrice

/** Where a layer is placed as long as no price says otherwise. */
export function startOf(place: LayoutPlacement): Placement | PlacementBySize {
  return typeof place === 'object' && 'between' in place ? (place.starts ?? place.between[0]) : place
}

/** For the sentence that names the largest part of a request that does not fit. */
interface LayerAdvice {
  /** What people call it, with its article. `the layer "ID"` where absent. */
  readonly name?: string
  /** What they can do about its size, such as `shorten it`. */
  readonly how: string
  /** What to do instead of `how` where a tool of this name is offered. */
  readonly withTool?: Readonly<Record<string, string>>
}

export interface CutRule {
  /** What is dropped: whole turns, or single messages. */
  readonly unit: 'turn' | 'message'
  /** Share of what is available that a cut leaves filled, current turn included, 0 to 1. 1 is a just-fit cut at every call. */
  readonly lowWater: number
}

/** Whether a cut leaves room, so that the next calls need none. Otherwise history is cut to fit at every call. */
export function leavesRoom({ lowWater }: CutRule): boolean {
  return lowWater < 1
}

/** A large layer is worth caching, a small one is worth standing next to the newest message. */
export interface PlacementBySize {
  /** Tokens of the fullest rendition from which a layer is large. */
  readonly from: number
  readonly large: Placement
  readonly small: Placement
}

/** The cheaper of two places, by the last calls of the session (`choosePlacements`). Until there are enough of them, the place where it starts. */
export interface PlacementByPrice {
  readonly between: readonly [Placement, Placement]
  /** The first of the two unless given. */
  readonly starts?: Placement | PlacementBySize
}

/** Whether a layer at this place belongs to the head, which every call of a session begins with. */
export function isHeadPlacement(placement: string): boolean {
  return placement === 'system' || placement === 'preamble'
}
