import type { Layer } from '../../context.ts'
import type { Tool } from '../../tool.ts'
import type { Plugin } from '../../capability/plugin.ts'
import type { SkillDefinition } from './skill-definition.ts'
import { findSkillTool } from './find-skill.ts'
import { loadSkills, type LoadSkillsOptions } from './folder/load-skills.ts'
import { readSkillTool } from './read-skill.ts'
import type { FindBinary } from './folder/find-binary.ts'
import type { LoadedSkills } from './skill.ts'
import { namesInSchema, skillsForms, type SkillsMode } from './skills-forms.ts'
import { skillsFullText, skillsListText, skillsNamesText, skillsSearchText } from './skills-text.ts'
import { type SkillsTools, skillsTools, type SkillToolOptions } from './skills-tools.ts'

export interface SkillsOptions
  extends Omit<LoadSkillsOptions, 'digests' | 'environment' | 'findBinary'>, Omit<SkillToolOptions, 'findBinary'> {
  readonly findBinary: FindBinary
  /** How skills are shown. `auto` unless given. */
  readonly mode?: SkillsMode
  /** Name of the layout that the tools are made for. `auto` unless given. */
  readonly layout?: string
  /** Each skill is a capability instead of a part of the layer `skills`, as the preset `ayati` has it (BEHAVIOURS §2.1). */
  readonly asCapabilities?: boolean
  /** How manifests name where the layer comes from. */
  readonly ref?: string
}

/** The plugin, and what it loaded last. */
export interface SkillsPlugin extends Plugin {
  loaded(): LoadedSkills
}

const nothing: LoadedSkills = { skills: [], left: [], warnings: [] }

/** Layer `skills` in full, as a list, or both (BEHAVIOURS §1.3), `read_skill`, and the tools of the skills. */
export function skillsPlugin(options: SkillsOptions): SkillsPlugin {
  const { mode = 'auto', layout: toolsFor = 'auto', asCapabilities = false, ref = 'skills' } = options
  let loaded = nothing
  let ofSkills: SkillsTools = { bySkill: new Map(), idle: new Set(), warnings: [] }
  let tools: readonly Tool[] = []
  let capabilities: readonly SkillDefinition[] = []
  let layersIn: (layout: string) => readonly Layer[] = () => []

  async function load(): Promise<void> {
    loaded = await loadSkills(options)
    const { skills } = loaded
    ofSkills = await skillsTools(skills, options)
    if (asCapabilities) {
      capabilities = skills.map(({ name, description, body, fields }) => ({
        id: name,
        version: fields.version ?? '1',
        description,
        promptBlock: body,
        tools: ofSkills.bySkill.get(name) ?? [],
      }))
      return
    }
    tools = [...readers(), ...[...ofSkills.bySkill.values()].flat()]
    layersIn = remembered((chosen) => {
      if (skills.length === 0) return []
      // Layers are joined by a blank line, but in `chai`, where the text brings its own (BEHAVIOURS §1.3).
      const isChai = chosen.startsWith('chai')
      const texts = {
        full: () => skillsFullText(skills),
        list: () => skillsListText(skills, !isChai),
        'list-names': () => skillsNamesText(skills, namesInSchema(toolsFor, skills)),
        'list-search': () => skillsSearchText(skills),
      }
      const renditions = skillsForms(mode, chosen, skills).forms.map((form) => ({
        form,
        text: isChai ? texts[form]() : texts[form]().trimEnd(),
      }))
      return [{ id: 'skills', layer: 'skills', renditions, origin: { kind: 'operator', ref } }]
    })
  }

  function readers(): readonly Tool[] {
    const { skills } = loaded
    if (skills.length === 0 || mode === 'full') return []
    const inSchema = namesInSchema(toolsFor, skills)
    const reader = readSkillTool(skills, {
      inSchema,
      ...(mode === 'auto' && { offeredWith: { layer: 'skills', form: 'list' } }),
    })
    return inSchema ? [reader] : [reader, findSkillTool(skills)]
  }

  return {
    name: 'skills',
    version: '1',
    start: load,
    reload: load,
    loaded: () => loaded,
    warnings: () => [...loaded.warnings, ...ofSkills.warnings],
    tools: () => tools,
    skills: () => capabilities,
    layers: async ({ layout, callsTools = true }) => {
      const layers = layersIn(layout)
      return callsTools ? layers : layers.flatMap(withoutList)
    },
  }
}

/** A list is of no use where nothing can be read from it. */
function withoutList(layer: Layer): readonly Layer[] {
  const renditions = layer.renditions.filter(({ form }) => !form.startsWith('list'))
  return renditions.length === 0 ? [] : [{ ...layer, renditions }]
}

/** The same layers for the same layout, until skills are read again. */
function remembered(layersOf: (layout: string) => readonly Layer[]): (layout: string) => readonly Layer[] {
  const known = new Map<string, readonly Layer[]>()
  return (layout) => {
    const layers = known.get(layout) ?? layersOf(layout)
    known.set(layout, layers)
    return layers
  }
}
