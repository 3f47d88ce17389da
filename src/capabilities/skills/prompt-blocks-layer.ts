import { type LayerContext, type PromptBlock, textLayer } from '../../capability.ts'
import type { Layer } from '../../context.ts'

/** The prompt blocks of all capabilities, as the layer that the layout has for them (BEHAVIOURS §2.1, §3.3). */
export function promptBlocksLayer(
  context: Pick<LayerContext, 'layout' | 'promptBlocks' | 'tools' | 'callsTools'>,
): readonly Layer[] {
  const layer = context.layout.skills.guidance
  if (layer === 'none') return []
  const text = promptBlocksText(context.promptBlocks, context.callsTools ? context.tools : [], layer)
  return text === '' ? [] : [textLayer(layer, text, 'prompt blocks of capabilities')]
}

/**
 * The prompt blocks of what is offered, in the order of the capabilities. As `skills` each has a heading, and a capability
 * without tools is sent as well (BEHAVIOURS §2.1); as `tool-guidance` they are about tools alone. Empty where nothing is left.
 */
function promptBlocksText(
  blocks: readonly PromptBlock[],
  offered: readonly string[],
  form: 'skills' | 'tool-guidance',
): string {
  const names = new Set(offered)
  const usable = ({ tools }: PromptBlock) => tools.some(({ name }) => names.has(name))
  const said = blocks.filter(({ promptBlock }) => promptBlock.trim() !== '')
  if (form === 'tool-guidance') {
    return said
      .filter(usable)
      .map(({ promptBlock }) => promptBlock.trim())
      .join('\n\n')
  }
  const sections = said.filter((block) => block.tools.length === 0 || usable(block)).map(section)
  return sections.length === 0 ? '' : ['# Skills', ...sections].join('\n\n')
}

/** A heading is one line, whatever a name holds. */
function section({ id, promptBlock }: PromptBlock): string {
  return `## Skill: ${id.trim().replaceAll(/\s+/g, ' ')}\n\n${promptBlock.trim()}`
}
