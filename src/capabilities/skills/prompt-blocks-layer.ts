import { type LayerContext, type PromptBlock, textLayer } from '../../capability.ts'
import type { Layer } from '../../context.ts'

/** The prompt blocks of all capabilities, as the layer that the layout names for them (BEHAVIOURS §2.1, §3.3). */
export function promptBlocksLayer(
  context: Pick<LayerContext, 'layout' | 'promptBlocks' | 'tools' | 'callsTools'>,
): readonly Layer[] {
  const layer = context.layout.skills.guidance
  if (layer === 'none') return []
  const text = promptBlocksText(context.promptBlocks, context.callsTools ? context.tools : [], layer)
  return text === '' ? [] : [textLayer(layer, text, 'prompt blocks of capabilities')]
}

/**
 * The prompt blocks of the offered tools, in the order of the capabilities. As `skills`, each has a heading, and capabilities
 * without tools are included (BEHAVIOURS §2.1); as `tool-guidance`, only blocks with an offered tool are. Empty if none is left.
 */
function promptBlocksText(
  blocks: readonly PromptBlock[],
  offered: readonly string[],
  form: 'skills' | 'tool-guidance',
): string {
  const names = new Set(offered)
  const usable = ({ tools }: PromptBlock) => tools.some(({ name }) => names.has(name))
  const written = blocks.filter(({ promptBlock }) => promptBlock.trim() !== '')
  if (form === 'tool-guidance') {
    return written
      .filter(usable)
      .map(({ promptBlock }) => promptBlock.trim())
      .join('\n\n')
  }
  const sections = written.filter((block) => block.tools.length === 0 || usable(block)).map(section)
  return sections.length === 0 ? '' : ['# Skills', ...sections].join('\n\n')
}

/** A heading is one line, whatever characters a name has. */
function section({ id, promptBlock }: PromptBlock): string {
  return `## Skill: ${id.trim().replaceAll(/\s+/g, ' ')}\n\n${promptBlock.trim()}`
}
