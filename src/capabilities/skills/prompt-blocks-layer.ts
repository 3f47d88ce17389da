import type { Layer } from '../../context.ts'
import { type LayerContext, type PromptBlock, textLayer } from '../../capability.ts'

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
