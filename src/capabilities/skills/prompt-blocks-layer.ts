import { type LayerContext, textLayer } from '../../capability.ts'
import type { Layer } from '../../context.ts'
import { promptBlocksText } from './prompt-blocks-text.ts'

/** The prompt blocks of all capabilities, as the layer that the layout has for them (BEHAVIOURS §2.1, §3.3). */
export function promptBlocksLayer(
  context: Pick<LayerContext, 'layout' | 'promptBlocks' | 'tools' | 'callsTools'>,
): readonly Layer[] {
  const layer = context.layout.skills.guidance
  if (layer === 'none') return []
  const text = promptBlocksText(context.promptBlocks, context.callsTools ? context.tools : [], layer)
  return text === '' ? [] : [textLayer(layer, text, 'prompt blocks of capabilities')]
}
