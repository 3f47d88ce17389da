import { addNeutralized, type Layer, type Layout, layoutOf, usualLayout } from '../../context.ts'
import { defined } from '../../platform.ts'
import { isListed, type Tool } from '../../tool.ts'
import { type LayerContext, type PromptBlock, textLayer, type TurnPart, type TurnQuestion } from '../../capability.ts'
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
    layers(context: Pick<LayerContext, 'layout' | 'promptBlocks' | 'tools' | 'callsTools' | 'only'>): readonly Layer[] {
      const layers = opened.layersIn(context.layout, context.only?.['skills'])
      const others = new Set(opened.promptBlocks.filter(({ id }) => !isChosen(context.only?.['skills'], id)))
      const promptBlocks = context.promptBlocks.filter((block) => !others.has(block))
      const blocks = promptBlocksLayer({ ...context, promptBlocks })
      return [...(context.callsTools ? layers : layers.flatMap(withoutList)), ...blocks]
    },
    /** The tools of the chosen skills alone, in the place of those of all skills. */
    turn({ only }: Pick<TurnQuestion, 'only'>): TurnPart {
      const chosen = only?.['skills']
      if (chosen === undefined) return {}
      const all = [...opened.tools, ...opened.promptBlocks.flatMap(({ tools }) => tools)]
      return { without: all.map(({ name }) => name), tools: opened.chosenTools(chosen) }
    },
  }
  return opened
}

interface SkillsRead {
  readonly loaded: LoadedSkills
  readonly warnings: readonly string[]
  readonly tools: readonly Tool[]
  readonly promptBlocks: readonly PromptBlock[]
  /** For the chosen skills; for all where absent. */
  readonly layersIn: (layout: Layout, chosen?: Chosen) => readonly Layer[]
  readonly chosenTools: (chosen: Chosen) => readonly Tool[]
}

/** Names and patterns; all where absent. */
type Chosen = readonly string[] | undefined

function isChosen(chosen: Chosen, name: string): boolean {
  return chosen === undefined || isListed(chosen, name)
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
    const toolsOf = (chosen: Chosen) => promptBlocks.flatMap(({ id, tools }) => (isChosen(chosen, id) ? tools : []))
    return { loaded, warnings, tools: [], promptBlocks, layersIn: () => [], chosenTools: toolsOf }
  }
  const layersIn = cacheLayers((chosen, names) => {
    const used = skills.filter(({ name }) => isChosen(names, name))
    if (used.length === 0) return []
    const inSchema = namesInSchema(toolsFor, used)
    const { forms } = skillsForms(mode, chosen, used)
    const parts = forms.includes('full') ? 'whole' : 'lines'
    const neutral = chosen.skills.neutralizes
      ? used.map((skill) => neutralSkill(noticedSkill(skill, found, chosen), parts))
      : undefined
    const sent = neutral?.map(({ skill }) => skill) ?? used
    const isAsWritten = chosen.ownSpacing?.includes('skills') ?? false
    const texts = {
      full: () => skillsFullText(sent),
      list: () => skillsListText(sent, chosen.skills.summaries),
      'list-names': () => skillsNamesText(sent, inSchema),
      'list-search': () => skillsSearchText(used),
    }
    const renditions = forms.map((form) => ({
      form,
      text: isAsWritten ? texts[form]() : texts[form]().trimEnd(),
    }))
    const signs = addNeutralized(neutral?.map((each) => each.found) ?? [])
    const because = Object.keys(signs).length > 0 ? { because: { code: 'neutralized', ...signs } } : {}
    return [{ id: 'skills', layer: 'skills', renditions, origin: { kind: 'operator', ref: 'skills' }, ...because }]
  })
  const toolsOf = (chosen: Chosen) => {
    const noticed = skills
      .filter(({ name }) => isChosen(chosen, name))
      .map((skill) => noticedSkill(skill, found, toolsFor))
    const shown = toolsFor.skills.neutralizes ? noticed.map((skill) => neutralSkill(skill, 'lines').skill) : noticed
    const own = noticed.flatMap(({ name }) => bySkill.get(name) ?? [])
    return [...readers({ skills: noticed, found: shown }, mode, namesInSchema(toolsFor, noticed)), ...own]
  }
  return { loaded, warnings, tools: toolsOf(undefined), promptBlocks: [], layersIn, chosenTools: toolsOf }
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
function cacheLayers(layersOf: SkillsRead['layersIn']): SkillsRead['layersIn'] {
  const known = new Map<string, readonly Layer[]>()
  return (layout, chosen) => {
    const key = JSON.stringify([layout.skills, layout.ownSpacing, chosen])
    const layers = known.get(key) ?? layersOf(layout, chosen)
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
