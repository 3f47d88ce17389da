import type { Layer } from '../context.ts'
import { citationGuidance, citationReminder } from './guidance.ts'

/** Layers `citation-guidance` and `reminder`, from the first result with numbers in a turn until its answer (BEHAVIOURS §3.7). */
export const citationLayers: readonly Layer[] = [
  layerOf('citation-guidance', 'citation-guidance', citationGuidance),
  layerOf('citation-reminder', 'reminder', citationReminder),
]

function layerOf(id: string, layer: string, text: string): Layer {
  return { id, layer, renditions: [{ form: 'full', text }], origin: { kind: 'operator', ref: 'foreword' } }
}
