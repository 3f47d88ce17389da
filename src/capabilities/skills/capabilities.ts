import type { PluginContext, Plugin } from '../../capability/plugin.ts'
import { textLayer } from '../../capability/text-layer.ts'
import { capabilitiesText } from './capabilities-text.ts'

/** The prompt blocks of all plugins' capabilities, as the layer that the layout has for them (BEHAVIOURS §2.1, §3.3). */
export function capabilitiesPlugin(): Plugin {
  return {
    name: 'capabilities',
    version: '1',
    async layers(context) {
      const layer = context.layout.skills.guidance
      if (layer === 'none') return []
      const text = capabilitiesText(context.skills ?? [], offered(context), layer)
      return text === '' ? [] : [textLayer(layer, text, 'prompt blocks of capabilities')]
    },
  }
}

function offered({ tools, callsTools = true }: PluginContext): readonly string[] {
  return callsTools ? tools : []
}
