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
  /** How system layers become one text: joined by a blank line, or as BEHAVIOURS §1.3 has it. */
  readonly systemText: 'blank-line' | 'chai'
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

/** A layout by name, or a preset with changes. */
export type LayoutChoice = string | LayoutChanges

/** A layout with changes: what is not given stays as in the one it extends. */
export interface LayoutChanges {
  readonly extends: string
  readonly placements?: Readonly<Record<string, Placement>>
  readonly priorities?: Readonly<Record<string, Priority>>
  readonly cut?: Partial<CutRule>
  readonly headShare?: number
}

/** Throws a `RangeError` that names the layouts there are. */
export function layoutOf(choice: LayoutChoice): Layout {
  const changes = typeof choice === 'string' ? { extends: choice } : choice
  const base = Object.hasOwn(layouts, changes.extends) ? layouts[changes.extends] : undefined
  if (!base) {
    throw new RangeError(`There is no layout "${changes.extends}". Choose one of ${Object.keys(layouts).join(', ')}.`)
  }
  if (typeof choice === 'string') return base
  return {
    ...base,
    name: `${base.name}+`,
    placements: { ...base.placements, ...changes.placements },
    priorities: { ...base.priorities, ...changes.priorities },
    cut: { ...base.cut, ...changes.cut },
    headShare: changes.headShare ?? base.headShare,
  }
}

/** Help from earlier sessions: a turn that does not fit beside it does without. */
const remembered: Layout['priorities'] = { memory: 'normal', 'previous-session': 'normal', 'tool-history': 'low' }

const auto: Layout = {
  name: 'auto',
  placements: {
    'system-prompt': 'system',
    instructions: 'system',
    soul: 'system',
    'user-profile': 'system',
    conversation: 'system',
    memory: 'system',
    skills: 'system',
    'tool-guidance': 'system',
    project: 'preamble',
    subject: 'preamble',
    'custom-agent': { from: 256, large: 'preamble', small: 'before-input' },
    reminder: 'after-input',
    'citation-guidance': 'after-input',
    'previous-session': 'preamble',
    'tool-history': 'before-input',
  },
  priorities: {
    'system-prompt': 'required',
    instructions: 'required',
    soul: 'high',
    'user-profile': 'normal',
    conversation: 'low',
    ...remembered,
    skills: 'normal',
    'tool-guidance': 'high',
    'citation-guidance': 'required',
    'custom-agent': 'required',
    project: 'required',
    subject: 'high',
    reminder: 'required',
  },
  cut: { unit: 'turn', lowWater: 0.5 },
  headShare: 0.6,
  shrinks: true,
  fileFrame: 'closed',
  systemText: 'blank-line',
}

/** In the systems that the presets follow, no layer gives way and nothing shrinks before it is dropped. */
const preset = {
  priorities: {
    ...Object.fromEntries(Object.keys(auto.priorities).map((name) => [name, 'required' as const])),
    ...remembered,
  },
  headShare: 1,
  shrinks: false,
}

/** The default and the four presets. Every layout places every name; what a preset's own system lacks stands as in `auto`. */
export const layouts: Readonly<Record<string, Layout>> = {
  auto,
  chai: { ...auto, ...preset, name: 'chai', cut: { unit: 'turn', lowWater: 1 }, systemText: 'chai' },
  ayati: {
    ...auto,
    ...preset,
    name: 'ayati',
    placements: inOrder(auto.placements, {
      'system-prompt': 'system',
      soul: 'system',
      'user-profile': 'system',
      conversation: 'system',
      memory: 'system',
      skills: 'system',
    }),
    cut: { unit: 'turn', lowWater: 1 },
  },
  onyx: {
    ...auto,
    ...preset,
    name: 'onyx',
    placements: inOrder(auto.placements, {
      'system-prompt': 'system',
      'tool-guidance': 'system',
      'citation-guidance': 'system',
      'custom-agent': 'before-input',
      project: 'before-input',
    }),
    cut: { unit: 'message', lowWater: 1 },
    fileFrame: 'plain',
  },
  deepchat: { ...auto, ...preset, name: 'deepchat', cut: { unit: 'message', lowWater: 1 } },
}

/** The names of `own` first, in their order, and those of `all` that are left behind them. */
function inOrder<Value>(all: Readonly<Record<string, Value>>, own: Readonly<Record<string, Value>>) {
  return { ...own, ...Object.fromEntries(Object.entries(all).filter(([name]) => !Object.hasOwn(own, name))) }
}
