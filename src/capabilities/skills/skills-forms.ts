import { type Layout, phrase } from '../../context.ts'
import { skillsFullText, type SkillWords } from './skills-text.ts'

/** `skills.contextMode` of the configuration. */
export type SkillsMode = 'auto' | 'full' | 'readOnDemand'

/** In full, as a list with descriptions, as names alone, or as a hint to search. */
type SkillsForm = 'full' | 'list' | 'list-names' | 'list-search'

export interface SkillsForms {
  readonly forms: readonly SkillsForm[]
  readonly why: string
}

/** Above either bound, `auto` sends the list alone: a hundred skills cost their list, never their bodies. */
const FULL_BOUNDS = { skills: 20, characters: 40_000 } as const

/** The most names in the schema of `read_skill` (BEHAVIOURS §1.4). Above it, the list has them, or a search finds them. */
const MOST_IN_SCHEMA = 50

export function namesInSchema(layout: Layout, skills: readonly SkillWords[]): boolean {
  return !layout.skills.followSize || skills.length <= MOST_IN_SCHEMA
}

/** The candidates of the layer `skills`. Where the layout does not follow their size, `auto` is `full`. */
export function skillsForms(mode: SkillsMode, layout: Layout, skills: readonly SkillWords[]): SkillsForms {
  const { followSize } = layout.skills
  const lists: readonly SkillsForm[] = namesInSchema(layout, skills)
    ? ['list', 'list-names']
    : ['list', 'list-names', 'list-search']
  if (mode === 'full') return { forms: ['full'], why: phrase`skills.contextMode is full` }
  if (mode === 'readOnDemand') {
    return { forms: followSize ? lists : ['list'], why: phrase`skills.contextMode is readOnDemand` }
  }
  if (!followSize) return { forms: ['full'], why: phrase`the layout ${layout.name} has it so` }
  if (skills.length > FULL_BOUNDS.skills) {
    return { forms: lists, why: phrase`there are more than ${FULL_BOUNDS.skills} skills` }
  }
  const { length } = skillsFullText(skills)
  if (length > FULL_BOUNDS.characters) {
    return { forms: lists, why: phrase`in full they have ${length} characters, more than ${FULL_BOUNDS.characters}` }
  }
  return {
    forms: ['full', ...lists],
    why: phrase`in full where the head's share has room for it, else as a list, else by their names`,
  }
}
