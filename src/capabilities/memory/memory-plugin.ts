import type { Plugin } from '../../capability.ts'
import { memoryLayers, withheldConversation } from './core/memory-layers.ts'

/** The layers of a runtime that reads the memory of its turns itself. */
export function memoryPlugin(): Plugin {
  return {
    name: 'memory',
    version: '1',
    async layers({ memory, layout }) {
      return [...withheldConversation(layout), ...(memory ? memoryLayers(memory, layout) : [])]
    },
  }
}
