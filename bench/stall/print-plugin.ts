import type { Plugin } from '../../src/capability.ts'
import { longText } from './long-text.ts'

const long = longText(10_000_000)

/** A tool with a result of the requested length. */
const printing: Plugin = {
  name: 'printing',
  version: '1.0.0',
  tools: () => [
    {
      name: 'print',
      description: 'Prints so many characters.',
      inputSchema: { type: 'object', properties: { characters: { type: 'number' } }, required: ['characters'] },
      async execute(input) {
        return { ok: true, output: long.slice(0, (input as { characters: number }).characters) }
      },
    },
  ],
}

export default printing
