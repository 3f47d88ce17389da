import type { Plugin } from '../../capability/plugin.ts'
import type { SkillDefinition } from './skill-definition.ts'

/** A plugin of one capability: its tools are offered, and its prompt block is sent as the layout has it. */
export function skillPlugin(definition: SkillDefinition): Plugin {
  const skills = [definition]
  return { name: definition.id, version: definition.version, skills: () => skills }
}
