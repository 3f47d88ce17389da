import { isDeepStrictEqual } from 'node:util'
import { type LayerContext, type PromptBlock, textLayer, type TurnPart, type TurnQuestion } from '../../capability.ts'
import { addNeutralized, type Layer, type Layout, layoutOf, usualLayout } from '../../context.ts'
import { defined } from '../../platform.ts'
import { isListed, type Tool } from '../../tool.ts'
import { EXAMPLE, exampleSkills, exampleTool } from './example-skills.ts'
import { findSkillTool, readSkillTool } from './read-skill.ts'
import { loadSkills, type LoadSkillsOptions } from './folder/load-skills.ts'
import type { FindBinary } from './folder/requirements.ts'
import type { PinnedSkills } from './pinned-skills.ts'
import type { LoadedSkills, Skill } from './skill.ts'
import { namesInSchema, skillsForms, type SkillsMode } from './skills-forms.ts'
import { neutralSkill, skillsFullText, skillsListText, skillsNamesText, skillsSearchText } from './skills-text.ts'
import { noticedSkill, skillsTools, type SkillToolOptions } from './skills-tools.ts'

export interface SkillsOptions
  extends Omit<LoadSkillsOptions, 'digests' | 'environment' | 'findBinary'>, Omit<SkillToolOptions, 'findBinary'> {
  readonly findBinary: FindBinary
  /** The form of skills in the prompt. Default: `auto`. */
  readonly mode?: SkillsMode
  /** The layout that the tools are made for. Default: the usual layout. */
  readonly layout?: Layout
  /** Withholds the tools of skills that are not the ones that were accepted. Where absent, none is withheld. */
  readonly pins?: Pick<PinnedSkills, 'compare'>
  /** Where the tool of an example keeps what it writes. Without it the examples have no tool. */
  readonly store?: Parameters<typeof exampleTool>[0]
}

/** Layer `skills` in full, as a list, or both (BEHAVIOURS §1.3), `read_skill`, and the tools of the skills. */
export async function openSkills(options: SkillsOptions) {
  const opened = {
    ...(await readSkills(options)),
    async reload(): Promise<void> {
      Object.assign(opened, await readSkills(options))
    },
    layers(context: Pick<LayerContext, 'layout' | 'promptBlocks' | 'tools' | 'callsTools' | 'only'>): readonly Layer[] {
      const { layout, callsTools, only } = context
      const own = opened.of(layout, only?.['skills'])
      const others = context.promptBlocks.filter((block) => !opened.promptBlocks.includes(block))
      const blocks = promptBlocksLayer({ ...context, promptBlocks: [...own.promptBlocks, ...others] })
      return [...(callsTools ? own.layers : own.layers.flatMap(withoutList)), ...blocks]
    },
    /** The tools of the chosen skills alone, or as the layout of the turn has them, in the place of those of the home. */
    turn({ only, layout }: Pick<TurnQuestion, 'only' | 'layout'>): TurnPart {
      const chosen = only?.['skills']
      if (chosen === undefined && isDeepStrictEqual(layout.skills, opened.layout.skills)) return {}
      const { tools, promptBlocks } = opened.of(layout, chosen)
      const without = [...opened.tools, ...opened.promptBlocks.flatMap((block) => block.tools)]
      return {
        without: without.map(({ name }) => name),
        tools: [...tools, ...promptBlocks.flatMap((block) => block.tools)],
      }
    },
  }
  return opened
}

/** What skills give a prompt: a layer with their tools, or blocks with tools of their own, never both. */
export interface SkillsParts {
  readonly layers: readonly Layer[]
  readonly tools: readonly Tool[]
  readonly promptBlocks: readonly PromptBlock[]
}

interface SkillsRead extends Omit<SkillsParts, 'layers'> {
  readonly loaded: LoadedSkills
  readonly warnings: readonly string[]
  /** That of the home, which `tools` and `promptBlocks` are made for. */
  readonly layout: Layout
  /** For the chosen skills; for all where absent. */
  readonly of: (layout: Layout, chosen?: Chosen) => SkillsParts
}

/** Names and patterns; all where absent. */
type Chosen = readonly string[] | undefined

async function readSkills(options: SkillsOptions): Promise<SkillsRead> {
  const { mode = 'auto', layout: home = layoutOf(usualLayout) } = options
  const loaded = await loadSkills(options)
  const found = await skillsTools(loaded.skills, options)
  const { bySkill, warnings: ofTools } = found
  await options.pins?.compare(loaded.skills, bySkill)
  const of = cacheParts((layout, chosen) => {
    const examples = chosen?.filter((name) => name.startsWith(EXAMPLE)) ?? []
    const used = [
      ...loaded.skills.filter(({ name }) => chosen === undefined || isListed(chosen, name)),
      ...(examples.length === 0 ? [] : exampleSkills().filter(({ name }) => isListed(examples, name))),
    ]
    const ofExamples = examples.length === 0 || options.store === undefined ? [] : [exampleTool(options.store)]
    const tools = [...used.flatMap(({ name }) => bySkill.get(name) ?? []), ...ofExamples]
    if (layout.skills.asCapabilities) {
      const promptBlocks = used.map(({ name, description, body, fields }) => ({
        id: name,
        version: fields.version ?? '1',
        description,
        promptBlock: body,
        tools: bySkill.get(name) ?? [],
      }))
      return { layers: [], tools: [], promptBlocks }
    }
    if (used.length === 0) return { layers: [], tools: [], promptBlocks: [] }
    const inSchema = namesInSchema(layout, used)
    const noticed = used.map((skill) => noticedSkill(skill, found, layout))
    const shown = layout.skills.neutralizes ? noticed.map((skill) => neutralSkill(skill, 'lines').skill) : noticed
    const readers = readersOf({ skills: noticed, found: shown }, mode, inSchema)
    return {
      layers: [skillsLayer(layout, mode, used, noticed)],
      tools: [...readers, ...tools],
      promptBlocks: [],
    }
  })
  const { tools, promptBlocks } = of(home)
  return { loaded, warnings: [...loaded.warnings, ...ofTools], layout: home, of, tools, promptBlocks }
}

/** `noticed` are the used skills with a notice where some of their tools are missing. */
function skillsLayer(layout: Layout, mode: SkillsMode, used: readonly Skill[], noticed: readonly Skill[]): Layer {
  const { forms } = skillsForms(mode, layout, used)
  const parts = forms.includes('full') ? 'whole' : 'lines'
  const neutral = layout.skills.neutralizes ? noticed.map((skill) => neutralSkill(skill, parts)) : undefined
  const sent = neutral?.map(({ skill }) => skill) ?? used
  const isAsWritten = layout.ownSpacing?.includes('skills') ?? false
  const texts = {
    full: () => skillsFullText(sent),
    list: () => skillsListText(sent, layout.skills.summaries),
    'list-names': () => skillsNamesText(sent, namesInSchema(layout, used)),
    'list-search': () => skillsSearchText(used),
  }
  const renditions = forms.map((form) => ({ form, text: isAsWritten ? texts[form]() : texts[form]().trimEnd() }))
  const signs = addNeutralized(neutral?.map((each) => each.found) ?? [])
  const because = Object.keys(signs).length > 0 ? { because: { code: 'neutralized', ...signs } } : {}
  return { id: 'skills', layer: 'skills', renditions, origin: { kind: 'operator', ref: 'skills' }, ...because }
}

/** `found` are the skills as a search shows them. */
function readersOf(
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

/** Keeps the parts of each layout until the skills are read again. */
function cacheParts(partsOf: SkillsRead['of']): SkillsRead['of'] {
  const known = new Map<string, SkillsParts>()
  return (layout, chosen) => {
    const key = JSON.stringify([layout.skills, layout.ownSpacing, chosen])
    const parts = known.get(key) ?? partsOf(layout, chosen)
    known.set(key, parts)
    return parts
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
