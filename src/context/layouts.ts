import { layoutProblems } from './check-input.ts'
import type { Layout, LayoutChoice, LayoutDefinition } from './layout.ts'

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
  keepsPartialAnswers: true,
  prompt: {},
  tellsDate: true,
  expectsPersona: false,
  skills: { guidance: 'tool-guidance', asCapabilities: false, followSize: true, summaries: true },
  memory: { isUsual: false, layers: 'apart' },
  citations: { fromFirstStep: true, inPrompt: false },
  reservesForMessage: true,
}

/** In the systems that the presets follow, no layer gives way and nothing shrinks before it is dropped. */
const preset: Layout = {
  ...auto,
  priorities: {
    ...Object.fromEntries(Object.keys(auto.priorities).map((name) => [name, 'required' as const])),
    ...remembered,
  },
  cut: { unit: 'turn', lowWater: 1 },
  headShare: 1,
  shrinks: false,
  tellsDate: false,
  skills: { guidance: 'none', asCapabilities: false, followSize: false, summaries: true },
  citations: { fromFirstStep: false, inPrompt: true },
  reservesForMessage: false,
}

/** The layout that is used where none is chosen. */
export const usualLayout = auto.name

/** The default and the four presets. Every layout places every name; what a preset's own system lacks stands as in the default. */
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
  extended(preset, { name: 'deepchat', cut: { unit: 'message' }, keepsPartialAnswers: false }),
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
    throw new RangeError(`There is no layout "${changes.extends}". Choose one of ${Object.keys(known).join(', ')}.`)
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
  }
}

function byName(all: readonly Layout[]): Readonly<Record<string, Layout>> {
  return Object.fromEntries(all.map((one) => [one.name, one]))
}

/** The names of `own` first, in their order, and those of `all` that are left behind them. */
function inOrder<Value>(all: Readonly<Record<string, Value>>, own: Readonly<Record<string, Value>>) {
  return { ...own, ...Object.fromEntries(Object.entries(all).filter(([name]) => !Object.hasOwn(own, name))) }
}
