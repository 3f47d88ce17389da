import type { SkillDefinition } from './skill-definition.ts'

/**
 * The prompt blocks of what is offered, in the order of the plugins. As `skills` each has a heading, and a capability
 * without tools is sent as well (BEHAVIOURS §2.1); as `tool-guidance` they are about tools alone. Empty where nothing is left.
 */
export function capabilitiesText(
  skills: readonly SkillDefinition[],
  offered: readonly string[],
  form: 'skills' | 'tool-guidance',
): string {
  const names = new Set(offered)
  const usable = ({ tools }: SkillDefinition) => tools.some(({ name }) => names.has(name))
  const said = skills.filter(({ promptBlock }) => promptBlock.trim() !== '')
  if (form === 'tool-guidance') {
    return said
      .filter(usable)
      .map(({ promptBlock }) => promptBlock.trim())
      .join('\n\n')
  }
  const sections = said.filter((skill) => skill.tools.length === 0 || usable(skill)).map(section)
  return sections.length === 0 ? '' : ['# Skills', ...sections].join('\n\n')
}

/** A heading is one line, whatever a name holds. */
function section({ id, promptBlock }: SkillDefinition): string {
  return `## Skill: ${id.trim().replaceAll(/\s+/g, ' ')}\n\n${promptBlock.trim()}`
}
