import type { LayerContext, Plugin } from '../../capability/plugin.ts'
import { textLayer } from '../../capability/text-layer.ts'
import { capabilitiesText } from './capabilities-text.ts'

/**
 * The prompt blocks of all plugins' capabilities, where the layout has a place for them: the layer `skills` in `ayati`
 * (BEHAVIOURS §2.1), `tool-guidance` in `auto` and `onyx` (§3.3). None in the other presets, whose systems have no such text.
 */
export function capabilitiesPlugin(): Plugin {
  return {
    name: 'capabilities',
    version: '1',
    async layers(context) {
      const layer = layerOf(context.layout)
      if (layer === undefined) return []
      const text = capabilitiesText(context.skills ?? [], offered(context), layer)
      return text === '' ? [] : [textLayer(layer, text, 'prompt blocks of capabilities')]
    },
  }
}

/** A layout with changes places what the one does that it extends. */
function layerOf(layout: string): 'skills' | 'tool-guidance' | undefined {
  const base = layout.replace(/\+$/, '')
  if (base === 'ayati') return 'skills'
  return base === 'auto' || base === 'onyx' ? 'tool-guidance' : undefined
}

function offered({ tools, callsTools = true }: LayerContext): readonly string[] {
  return callsTools ? tools : []
}
