import { citationGuidance, citationReminder, type Layer } from '../../context.ts'
import type { Plugin } from '../plugin.ts'

/** Layers `citation-guidance` and `reminder`, from the first result with numbers in a turn until its answer (BEHAVIOURS §3.7). */
export function citationsPlugin(): Plugin {
  const layers: readonly Layer[] = [
    layerOf('citation-guidance', 'citation-guidance', citationGuidance),
    layerOf('citation-reminder', 'reminder', citationReminder),
  ]
  return { name: 'citations', version: '1', layers: async ({ cites = false }) => (cites ? layers : []) }
}

function layerOf(id: string, layer: string, text: string): Layer {
  return { id, layer, renditions: [{ form: 'full', text }], origin: { kind: 'operator', ref: 'foreword' } }
}
