import { layoutProblems } from './check-input.ts'
import type { FileFrame } from './attachment.ts'
import type { Placement, Priority } from './layer.ts'
import { type AssemblyLayout, type CutRule, type LayoutPlacement, startOf } from './layout.ts'

/** A named choice of how a context is put together: what an assembly reads of it, and what capabilities do (docs/guide/layouts.md). */
export interface Layout extends AssemblyLayout {
  /** Whether the part of an answer that was interrupted is sent with the history. */
  readonly keepsPartialAnswers: boolean
  readonly prompt: PromptRule
  /** Whether the date is a layer of its own. Otherwise it is only filled into a prompt that asks for it. */
  readonly tellsDate: boolean
  /** Whether the system message says that text of others is data. Otherwise only the frames of such text say it. */
  readonly tellsForeignRule: boolean
  /** Whether the owner is warned where the persona files are missing. */
  readonly expectsPersona: boolean
  readonly skills: SkillsRule
  readonly memory: MemoryRule
  readonly citations: CitationRule
  /** Whether the files of a project leave room for an ordinary message, or are sent in full up to their own limit. */
  readonly reservesForMessage: boolean
  /** Whether the longest answer of the model is kept free however little of the window that leaves. Otherwise only where it leaves half. */
  readonly reservesLongestAnswer: boolean
}

/** A layout by name, one with changes, or a whole one. */
export type LayoutChoice = string | LayoutChanges | Layout

/** A layout with changes: what is not given stays as in the one it extends. */
export interface LayoutChanges {
  readonly extends: string
  /** `auto`: the cheaper of `preamble` and `before-input`, by the last calls of the session. */
  readonly placements?: Readonly<Record<string, Placement | 'auto'>>
  readonly priorities?: Readonly<Record<string, Priority>>
  readonly cut?: Partial<CutRule>
  readonly headShare?: number
  /** How text of others is separated from the words of people. */
  readonly fileFrame?: FileFrame
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
  readonly tellsForeignRule?: boolean
  readonly expectsPersona?: boolean
  readonly skills?: Partial<SkillsRule>
  readonly memory?: Partial<MemoryRule>
  readonly citations?: Partial<CitationRule>
  readonly reservesForMessage?: boolean
  readonly reservesLongestAnswer?: boolean
  readonly advice?: NonNullable<AssemblyLayout['advice']>
}

/** The system prompt of a home. */
interface PromptRule {
  /** A line above it; none where absent. */
  readonly heading?: string
  /** What is sent where its owner wrote none. The packaged prompt where absent; nothing where empty. */
  readonly fallback?: string
}

/** How skills and other capabilities are described to the model. */
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
  /**
   * Whether signs that work on their own, such as tokens of chat templates, are written out in what is sent outside frames,
   * and descriptions are one line that begins no block.
   */
  readonly neutralizes: boolean
}

/** What is sent of earlier sessions. */
interface MemoryRule {
  /** Whether it is on unless the configuration sets it. */
  readonly isUsual: boolean
  /** `memory`: one layer for all of it. `apart`: the layers `previous-session` and `tool-history`. */
  readonly layers: 'memory' | 'apart'
}

/** When the model gets instructions to cite. */
interface CitationRule {
  /** Whether documents of a project that are part of the request can be cited from the first step on, and not only after a search. */
  readonly fromFirstStep: boolean
  /** Whether the words about it may be filled into the system prompt, where they change in the middle of a turn. */
  readonly inPrompt: boolean
}

/** Help from earlier sessions: a turn that does not fit beside it does without. */
const remembered: Layout['priorities'] = { memory: 'normal', 'previous-session': 'normal', 'tool-history': 'low' }

/** What people call the layers of Foreword, and how they make them smaller. */
const advice: AssemblyLayout['advice'] = {
  'system-prompt': { name: 'the system prompt', how: 'shorten it' },
  instructions: { name: 'the instructions', how: 'shorten AGENTS.md' },
  soul: { name: 'the soul', how: 'shorten it' },
  'user-profile': { name: 'the user profile', how: 'shorten it' },
  skills: { name: 'the skills', how: 'disable some, or let them be read on demand' },
  'custom-agent': { name: 'the prompt of the agent or the instructions of the project', how: 'shorten it' },
  project: { name: 'the files of the project', how: 'take some out of it' },
  subject: { name: 'the context of the subject', how: 'shorten its notes' },
  reminder: { name: 'the reminder', how: 'shorten it' },
  attachment: {
    how: 'in a project it would be searched instead',
    withTool: {
      search_attachment: 'ask about it in your next message, which can find its passages with search_attachment',
    },
  },
}

/** The cheaper of the end of the head and the place before the message. */
const preambleFirst: LayoutPlacement = { between: ['preamble', 'before-input'] }
const messageFirst: LayoutPlacement = { between: ['before-input', 'preamble'] }
const bySize = { from: 256, large: 'preamble', small: 'before-input' } as const

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
    project: preambleFirst,
    subject: preambleFirst,
    'custom-agent': { ...preambleFirst, starts: bySize },
    reminder: 'after-input',
    'citation-guidance': 'after-input',
    'previous-session': preambleFirst,
    'tool-history': messageFirst,
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
  notes: { first: 0.25, firstBesideWords: 0.2, tail: 0.08, most: 0.35 },
  headShare: 0.6,
  shrinks: true,
  fileFrame: 'hashed',
  keepsPartialAnswers: true,
  prompt: {},
  tellsDate: true,
  tellsForeignRule: true,
  expectsPersona: false,
  skills: { guidance: 'tool-guidance', asCapabilities: false, followSize: true, summaries: true, neutralizes: true },
  memory: { isUsual: false, layers: 'apart' },
  citations: { fromFirstStep: true, inPrompt: false },
  reservesForMessage: true,
  reservesLongestAnswer: false,
  advice,
}

/** In the systems that the presets follow, no layer gives way and nothing shrinks before it is dropped. */
const { notes: _notes, ...withoutNotes } = auto
const preset: Layout = {
  ...withoutNotes,
  placements: Object.fromEntries(Object.entries(auto.placements).map(([name, place]) => [name, startOf(place)])),
  priorities: {
    ...Object.fromEntries(Object.keys(auto.priorities).map((name) => [name, 'required' as const])),
    ...remembered,
  },
  cut: { unit: 'turn', lowWater: 1 },
  headShare: 1,
  shrinks: false,
  fileFrame: 'closed',
  tellsDate: false,
  tellsForeignRule: false,
  skills: { guidance: 'none', asCapabilities: false, followSize: false, summaries: true, neutralizes: false },
  citations: { fromFirstStep: false, inPrompt: true },
  reservesForMessage: false,
}

/** The layout that is used where none is chosen. */
export const usualLayout = auto.name

/** The default and the four presets. Every layout places every name; a name that a preset's own system lacks is placed as in the default. */
export const layouts: Readonly<Record<string, Layout>> = byName([
  auto,
  extended(preset, {
    name: 'chai',
    ownSpacing: ['skills'],
    prompt: { fallback: '' },
    skills: { summaries: false },
  }),
  extended(preset, {
    name: 'ayati',
    placements: {
      'system-prompt': 'system',
      soul: 'system',
      'user-profile': 'system',
      conversation: 'system',
      memory: 'system',
      skills: 'system',
    },
    prompt: { heading: '# Base System Prompt' },
    expectsPersona: true,
    skills: { guidance: 'skills', asCapabilities: true },
    memory: { isUsual: true, layers: 'memory' },
  }),
  extended(preset, {
    name: 'onyx',
    placements: {
      'system-prompt': 'system',
      'tool-guidance': 'system',
      'citation-guidance': 'system',
      'custom-agent': 'before-input',
      project: 'before-input',
    },
    cut: { unit: 'message' },
    fileFrame: 'plain',
    tellsDate: true,
    skills: { guidance: 'tool-guidance' },
  }),
  extended(preset, {
    name: 'deepchat',
    cut: { unit: 'message' },
    keepsPartialAnswers: false,
    reservesLongestAnswer: true,
  }),
])

/** Completes a layout, and checks it: a `RangeError` names each field that no request can be made with. */
export function layout(definition: LayoutDefinition): Layout {
  const { extends: base = auto } = definition
  const made = extended(typeof base === 'string' ? layoutOf(base) : base, definition)
  const problems = layoutProblems(made, [])
  if (problems.length > 0) throw new RangeError(problems.join('\n'))
  return made
}

/** The layout that was chosen. Throws a `RangeError` that names the `known` layouts where it is none of them. */
export function layoutOf(choice: LayoutChoice, known: Readonly<Record<string, Layout>> = layouts): Layout {
  if (typeof choice !== 'string' && 'name' in choice) return choice
  const changes = typeof choice === 'string' ? { extends: choice } : choice
  const base = Object.hasOwn(known, changes.extends) ? known[changes.extends] : undefined
  if (!base) {
    throw new RangeError(`Unknown layout "${changes.extends}". Choose one of ${Object.keys(known).join(', ')}.`)
  }
  if (typeof choice === 'string') return base
  return {
    ...base,
    name: `${base.name}+`,
    placements: { ...base.placements, ...byPrice(base, changes.placements) },
    priorities: { ...base.priorities, ...changes.priorities },
    cut: { ...base.cut, ...changes.cut },
    headShare: changes.headShare ?? base.headShare,
    fileFrame: changes.fileFrame ?? base.fileFrame,
  }
}

/** A layer that the layout places by price itself starts where it has it. */
function byPrice({ placements: own }: Layout, changed: LayoutChanges['placements'] = {}): Layout['placements'] {
  return Object.fromEntries(
    Object.entries(changed).map(([name, place]) => {
      if (place !== 'auto') return [name, place]
      const known = Object.hasOwn(own, name) ? own[name] : undefined
      return [name, typeof known === 'object' && 'between' in known ? known : preambleFirst]
    }),
  )
}

function extended(base: Layout, { extends: _extends, ...definition }: LayoutDefinition): Layout {
  return {
    ...base,
    ...definition,
    placements: inOrder(base.placements, definition.placements ?? {}),
    priorities: { ...base.priorities, ...definition.priorities },
    cut: { ...base.cut, ...definition.cut },
    prompt: { ...base.prompt, ...definition.prompt },
    skills: { ...base.skills, ...definition.skills },
    memory: { ...base.memory, ...definition.memory },
    citations: { ...base.citations, ...definition.citations },
    advice: { ...base.advice, ...definition.advice },
  }
}

function byName(all: readonly Layout[]): Readonly<Record<string, Layout>> {
  return Object.fromEntries(all.map((one) => [one.name, one]))
}

/** The names of `own` first, in their order, and those of `all` that are left behind them. */
function inOrder<Value>(all: Readonly<Record<string, Value>>, own: Readonly<Record<string, Value>>) {
  return { ...own, ...Object.fromEntries(Object.entries(all).filter(([name]) => !Object.hasOwn(own, name))) }
}

/** What a tool of this name reads where a scenario does not say it. */
export const readsOfTool: ReadonlyMap<string, 'history' | 'files'> = new Map([
  ['read_history', 'history'],
  ['read_attachment', 'files'],
])
