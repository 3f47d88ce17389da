import { type SkillWords, skillsFullText } from './skills-text.ts'

/** `skills.contextMode` of the configuration. */
export type SkillsMode = 'auto' | 'full' | 'readOnDemand'

/** In full, as a list with descriptions, or by their names alone. */
export type SkillsForm = 'full' | 'list' | 'list-names'

/** In which forms skills may be sent, fullest first, and why. */
export interface SkillsForms {
  readonly forms: readonly SkillsForm[]
  readonly why: string
}

/** From here on, `auto` sends the list alone: a hundred skills cost their list, never their bodies. */
const FULL_BOUNDS = { skills: 20, characters: 40_000 } as const

const presets: ReadonlySet<string> = new Set(['chai', 'ayati', 'onyx', 'deepchat'])

/** The candidates of the layer `skills`. In a preset, `auto` is `full`, as the preset's own system has it. */
export function skillsForms(mode: SkillsMode, layout: string, skills: readonly SkillWords[]): SkillsForms {
  if (mode === 'full') return { forms: ['full'], why: 'skills.contextMode is full' }
  if (mode === 'readOnDemand') return { forms: ['list'], why: 'skills.contextMode is readOnDemand' }
  if (presets.has(layout.replace(/\+$/, ''))) return { forms: ['full'], why: `the layout ${layout} has it so` }
  if (skills.length > FULL_BOUNDS.skills) {
    return { forms: ['list', 'list-names'], why: `there are more than ${FULL_BOUNDS.skills} skills` }
  }
  const { length } = skillsFullText(skills)
  if (length > FULL_BOUNDS.characters) {
    return {
      forms: ['list', 'list-names'],
      why: `in full they have ${length} characters, more than ${FULL_BOUNDS.characters}`,
    }
  }
  return {
    forms: ['full', 'list', 'list-names'],
    why: "in full where the head's share has room for it, else as a list, else by their names",
  }
}
