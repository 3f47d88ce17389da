import { addNeutralized, type Layer, type Layout, layoutOf, usualLayout } from '../../context.ts'
import { defined } from '../../platform.ts'
import type { Tool } from '../../tool.ts'
import { type LayerContext, type PromptBlock, textLayer } from '../../capability.ts'
import { findSkillTool } from './find-skill.ts'
import { loadSkills, type LoadSkillsOptions } from './folder/load-skills.ts'
import type { PinnedSkills } from './pinned-skills.ts'
import { readSkillTool } from './read-skill.ts'
import type { FindBinary } from './folder/requirements.ts'
import type { LoadedSkills, Skill } from './skill.ts'
import {
  namesInSchema,
  neutralSkill,
  skillsForms,
  type SkillsMode,
  skillsFullText,
  skillsListText,
  skillsNamesText,
  skillsSearchText,
} from './skills-text.ts'
import { skillsTools, type SkillToolOptions, noticedSkill } from './skills-tools.ts'

export interface SkillsOptions
  extends Omit<LoadSkillsOptions, 'digests' | 'environment' | 'findBinary'>, Omit<SkillToolOptions, 'findBinary'> {
  readonly findBinary: FindBinary
  /** The form of skills in the prompt. Default: `auto`. */
  readonly mode?: SkillsMode
  /** The layout that the tools are made for. Default: the usual layout. */
  readonly layout?: Layout
  /** Withholds the tools of skills that are not the ones that were accepted. Where absent, none is withheld. */
  readonly pins?: Pick<PinnedSkills, 'compare'>
}

/** Layer `skills` in full, as a list, or both (BEHAVIOURS §1.3), `read_skill`, and the tools of the skills. */
export async function openSkills(options: SkillsOptions) {
  const opened = {
    ...(await readSkills(options)),
    async reload(): Promise<void> {
      Object.assign(opened, await readSkills(options))
    },
    layers(context: Pick<LayerContext, 'layout' | 'promptBlocks' | 'tools' | 'callsTools'>): readonly Layer[] {
      const layers = opened.layersIn(context.layout)
      return [...(context.callsTools ? layers : layers.flatMap(withoutList)), ...promptBlocksLayer(context)]
    },
  }
  return opened
}

interface SkillsRead {
  readonly loaded: LoadedSkills
  readonly warnings: readonly string[]
  readonly tools: readonly Tool[]
  readonly promptBlocks: readonly PromptBlock[]
  readonly layersIn: (layout: Layout) => readonly Layer[]
}

async function readSkills(options: SkillsOptions): Promise<SkillsRead> {
  const { mode = 'auto', layout: toolsFor = layoutOf(usualLayout) } = options
  const loaded = await loadSkills(options)
  const { skills } = loaded
  const found = await skillsTools(skills, options)
  const { bySkill, warnings: ofTools } = found
  await options.pins?.compare(skills, bySkill)
  const warnings = [...loaded.warnings, ...ofTools]
  if (toolsFor.skills.asCapabilities) {
    const promptBlocks = skills.map(({ name, description, body, fields }) => ({
      id: name,
      version: fields.version ?? '1',
      description,
      promptBlock: body,
      tools: bySkill.get(name) ?? [],
    }))
    return { loaded, warnings, tools: [], promptBlocks, layersIn: () => [] }
  }
  const inSchema = namesInSchema(toolsFor, skills)
  const layersIn = cacheLayers((chosen) => {
    if (skills.length === 0) return []
    const { forms } = skillsForms(mode, chosen, skills)
    const parts = forms.includes('full') ? 'whole' : 'lines'
    const neutral = chosen.skills.neutralizes
      ? skills.map((skill) => neutralSkill(noticedSkill(skill, found, chosen), parts))
      : undefined
    const sent = neutral?.map(({ skill }) => skill) ?? skills
    const isAsWritten = chosen.ownSpacing?.includes('skills') ?? false
    const texts = {
      full: () => skillsFullText(sent),
      list: () => skillsListText(sent, chosen.skills.summaries),
      'list-names': () => skillsNamesText(sent, inSchema),
      'list-search': () => skillsSearchText(skills),
    }
    const renditions = forms.map((form) => ({
      form,
      text: isAsWritten ? texts[form]() : texts[form]().trimEnd(),
    }))
    const signs = addNeutralized(neutral?.map((each) => each.found) ?? [])
    const because = Object.keys(signs).length > 0 ? { because: { code: 'neutralized', ...signs } } : {}
    return [{ id: 'skills', layer: 'skills', renditions, origin: { kind: 'operator', ref: 'skills' }, ...because }]
  })
  const noticed = skills.map((skill) => noticedSkill(skill, found, toolsFor))
  const shown = toolsFor.skills.neutralizes ? noticed.map((skill) => neutralSkill(skill, 'lines').skill) : skills
  const tools = [...readers({ skills: noticed, found: shown }, mode, inSchema), ...[...bySkill.values()].flat()]
  return { loaded, warnings, tools, promptBlocks: [], layersIn }
}

/** `found` are the skills as a search shows them. */
function readers(
  { skills, found }: { readonly skills: readonly Skill[]; readonly found: readonly Skill[] },
  mode: SkillsMode,
  inSchema: boolean,
): readonly Tool[] {
  if (skills.length === 0 || mode === 'full') return []
  const offeredWith = mode === 'auto' ? { layer: 'skills', form: 'list' } : undefined
  const reader = readSkillTool(skills, { inSchema, ...defined({ offeredWith }) })
  return inSchema ? [reader] : [reader, findSkillTool(found)]
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

/**
 * The prompt blocks of all capabilities, as the layer that the layout names for them (BEHAVIOURS §2.1, §3.3). As
 * `skills`, each has a heading, and capabilities without tools are included; as `tool-guidance`, only blocks with an
 * offered tool are.
 */
export function promptBlocksLayer({
  layout,
  promptBlocks,
  tools,
  callsTools,
}: Pick<LayerContext, 'layout' | 'promptBlocks' | 'tools' | 'callsTools'>): readonly Layer[] {
  const layer = layout.skills.guidance
  if (layer === 'none') return []
  const offered = new Set(callsTools ? tools : [])
  const isUsable = (block: PromptBlock) => block.tools.some(({ name }) => offered.has(name))
  const written = promptBlocks.filter(({ promptBlock }) => promptBlock.trim() !== '')
  const texts =
    layer === 'skills'
      ? written.filter((block) => block.tools.length === 0 || isUsable(block)).map(section)
      : written.filter(isUsable).map(({ promptBlock }) => promptBlock.trim())
  if (texts.length === 0) return []
  const text = (layer === 'skills' ? ['# Skills', ...texts] : texts).join('\n\n')
  return [textLayer(layer, text, 'prompt blocks of capabilities')]
}

/** A heading is one line, whatever characters a name has. */
function section({ id, promptBlock }: PromptBlock): string {
  return `## Skill: ${id.trim().replaceAll(/\s+/g, ' ')}\n\n${promptBlock.trim()}`
}
