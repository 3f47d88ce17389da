import type { Skill } from './skill.ts'

/** What a text about skills says of each. */
export type SkillWords = Pick<Skill, 'name' | 'description' | 'body'>

/** The longest description that a list shows whole, characters: the limit of the Agent Skills standard. */
export const LONGEST_DESCRIPTION = 1_024

/** Every skill with its whole body (BEHAVIOURS §1.3, `full`). Empty where there are none. */
export function skillsFullText(skills: readonly SkillWords[]): string {
  if (skills.length === 0) return ''
  return `You have access to the following skills. Use them when relevant.\n\n${skills.map(skillFullText).join('')}`
}

/** One skill in full. */
export function skillFullText({ name, description, body }: SkillWords): string {
  return `## ${name}\n${description.trim() === '' ? '' : `${description}\n\n`}${body}\n\n`
}

/** A line for each skill, to be read on demand (BEHAVIOURS §1.3, `readOnDemand`). Empty where there are none. */
export function skillsListText(skills: readonly SkillWords[]): string {
  if (skills.length === 0) return ''
  return (
    "You have access to the following skills. Use the read_skill tool to load a skill's full documentation when it " +
    `clearly applies to the user's request.\n\n## Available skills\n\n${skills.map(skillLine).join('')}`
  )
}

/** The names alone, for a head that has no room for the list. Empty where there are none. */
export function skillsNamesText(skills: readonly SkillWords[]): string {
  if (skills.length === 0) return ''
  const names = skills.map(({ name }) => name).join(', ')
  return `Use the read_skill tool to read one of these skills when its name fits the user's request: ${names}\n`
}

/** The line of one skill. A description has no way to begin another line. */
export function skillLine({ name, description }: SkillWords): string {
  const words = /[\r\n\u0085\u2028\u2029\v\f]/.test(description)
    ? description.replaceAll(/\s+|\u0085/g, ' ')
    : description
  return `- **${name}**: ${words.trim() === '' ? '(no description)' : shortened(words.trim())}\n`
}

function shortened(text: string): string {
  if (text.length <= LONGEST_DESCRIPTION) return text
  // Half of a surrogate pair is no character.
  return `${text
    .slice(0, LONGEST_DESCRIPTION)
    .replace(/[\uD800-\uDBFF]$/, '')
    .trimEnd()}…`
}
