import type { Layer } from '../../context.ts'
import { FOREIGN_TEXT, foreignTextRule } from '../foreign-text-rule.ts'
import type { Plugin } from '../plugin.ts'

/**
 * Layer `foreign-text`: that text from files, pages and tools is data, in every layout and under every prompt, wherever such
 * text can come into the call. It stands last in the system message, so that nothing before it moves.
 */
export function foreignTextPlugin(): Plugin {
  const layer: Layer = {
    id: FOREIGN_TEXT,
    layer: FOREIGN_TEXT,
    renditions: [{ form: 'full', text: foreignTextRule }],
    placement: 'system',
    priority: 'required',
    origin: { kind: 'operator', ref: 'foreword' },
  }
  return {
    name: 'foreign-text',
    version: '1',
    layers: async ({ readsForeign = false }) => (readsForeign ? [layer] : []),
  }
}
