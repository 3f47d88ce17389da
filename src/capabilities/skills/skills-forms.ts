import { type SkillWords, skillsFullText } from './skills-text.ts'

/** `skills.contextMode` of the configuration. */
export type SkillsMode = 'auto' | 'full' | 'readOnDemand'

/** In full, as a list with descriptions, by their names alone, or as a way to search them. */
export type SkillsForm = 'full' | 'list' | 'list-names' | 'list-search'

/** In which forms skills may be sent, fullest first, and why. */
export interface SkillsForms {
  readonly forms: readonly SkillsForm[]
  readonly why: string
}

/** From here on, `auto` sends the list alone: a hundred skills cost their list, never their bodies. */
const FULL_BOUNDS = { skills: 20, characters: 40_000 } as const

/** So many names may stand in the schema of `read_skill` (BEHAVIOURS §1.4). Beyond, the list has them, or a search finds them. */
const MOST_IN_SCHEMA = 50

const presets: ReadonlySet<string> = new Set(['chai', 'ayati', 'onyx', 'deepchat'])

/** Whether a layout follows another system, whose texts are kept to the letter; one with changes follows what it extends. */
function isPreset(layout: string): boolean {
  return presets.has(layout.replace(/\+$/, ''))
}

/** Whether the schema of `read_skill` names every skill. */
export function namesInSchema(layout: string, skills: readonly SkillWords[]): boolean {
  return isPreset(layout) || skills.length <= MOST_IN_SCHEMA
}

/** The candidates of the layer `skills`. In a preset, `auto` is `full`, as the preset's own system has it. */
export function skillsForms(mode: SkillsMode, layout: string, skills: readonly SkillWords[]): SkillsForms {
  const inPreset = isPreset(layout)
  const lists: readonly SkillsForm[] = namesInSchema(layout, skills)
    ? ['list', 'list-names']
    : ['list', 'list-names', 'list-search']
  if (mode === 'full') return { forms: ['full'], why: 'skills.contextMode is full' }
  if (mode === 'readOnDemand') {
    return { forms: inPreset ? ['list'] : lists, why: 'skills.contextMode is readOnDemand' }
  }
  if (inPreset) return { forms: ['full'], why: `the layout ${layout} has it so` }
  if (skills.length > FULL_BOUNDS.skills) {
    return { forms: lists, why: `there are more than ${FULL_BOUNDS.skills} skills` }
  }
  const { length } = skillsFullText(skills)
  if (length > FULL_BOUNDS.characters) {
    return { forms: lists, why: `in full they have ${length} characters, more than ${FULL_BOUNDS.characters}` }
  }
  return {
    forms: ['full', ...lists],
    why: "in full where the head's share has room for it, else as a list, else by their names",
  }
}
