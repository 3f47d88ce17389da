import { type Layer, type Layout, layoutOf, usualLayout } from '../../context.ts'
import type { Tool } from '../../tool.ts'
import type { LayerContext, PromptBlock } from '../../capability.ts'
import { findSkillTool } from './find-skill.ts'
import { loadSkills, type LoadSkillsOptions } from './folder/load-skills.ts'
import { readSkillTool } from './read-skill.ts'
import type { FindBinary } from './folder/find-binary.ts'
import type { LoadedSkills } from './skill.ts'
import {
  namesInSchema,
  skillsForms,
  type SkillsMode,
  skillsFullText,
  skillsListText,
  skillsNamesText,
  skillsSearchText,
} from './skills-text.ts'
import { type SkillsTools, skillsTools, type SkillToolOptions } from './skills-tools.ts'

export interface SkillsOptions
  extends Omit<LoadSkillsOptions, 'digests' | 'environment' | 'findBinary'>, Omit<SkillToolOptions, 'findBinary'> {
  readonly findBinary: FindBinary
  /** The form of skills in the prompt. Default: `auto`. */
  readonly mode?: SkillsMode
  /** The layout that the tools are made for. Default: the usual layout. */
  readonly layout?: Layout
  /** The origin of the layer in manifests. */
  readonly ref?: string
}

const NO_SKILLS: LoadedSkills = { skills: [], left: [], warnings: [] }

/** Layer `skills` in full, as a list, or both (BEHAVIOURS §1.3), `read_skill`, and the tools of the skills. */
export async function openSkills(options: SkillsOptions) {
  const { mode = 'auto', layout: toolsFor = layoutOf(usualLayout), ref = 'skills' } = options
  let loaded = NO_SKILLS
  let ofSkills: SkillsTools = { bySkill: new Map(), idle: new Set(), warnings: [] }
  let layersIn: (layout: Layout) => readonly Layer[] = () => []

  async function load(): Promise<void> {
    loaded = await loadSkills(options)
    const { skills } = loaded
    ofSkills = await skillsTools(skills, options)
    if (toolsFor.skills.asCapabilities) {
      opened.promptBlocks = skills.map(({ name, description, body, fields }) => ({
        id: name,
        version: fields.version ?? '1',
        description,
        promptBlock: body,
        tools: ofSkills.bySkill.get(name) ?? [],
      }))
      return
    }
    opened.tools = [...readers(), ...[...ofSkills.bySkill.values()].flat()]
    layersIn = cacheLayers((chosen) => {
      if (skills.length === 0) return []
      const isAsWritten = chosen.ownSpacing?.includes('skills') ?? false
      const texts = {
        full: () => skillsFullText(skills),
        list: () => skillsListText(skills, chosen.skills.summaries),
        'list-names': () => skillsNamesText(skills, namesInSchema(toolsFor, skills)),
        'list-search': () => skillsSearchText(skills),
      }
      const renditions = skillsForms(mode, chosen, skills).forms.map((form) => ({
        form,
        text: isAsWritten ? texts[form]() : texts[form]().trimEnd(),
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

  const opened = {
    reload: load,
    loaded: () => loaded,
    warnings: () => [...loaded.warnings, ...ofSkills.warnings],
    tools: [] as readonly Tool[],
    promptBlocks: [] as readonly PromptBlock[],
    layers: ({ layout, callsTools }: Pick<LayerContext, 'layout' | 'callsTools'>) => {
      const layers = layersIn(layout)
      return callsTools ? layers : layers.flatMap(withoutList)
    },
  }
  await load()
  return opened
}

/** Without tools the model cannot read a skill, so a list is of no use. */
function withoutList(layer: Layer): readonly Layer[] {
  const renditions = layer.renditions.filter(({ form }) => !form.startsWith('list'))
  return renditions.length === 0 ? [] : [{ ...layer, renditions }]
}

/** Keeps the layers of each layout until the skills are read again. */
function cacheLayers(layersOf: (layout: Layout) => readonly Layer[]): (layout: Layout) => readonly Layer[] {
  const known = new Map<string, readonly Layer[]>()
  return (layout) => {
    const key = JSON.stringify([layout.skills, layout.ownSpacing])
    const layers = known.get(key) ?? layersOf(layout)
    known.set(key, layers)
    return layers
  }
}
