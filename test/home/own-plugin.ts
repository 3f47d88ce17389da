/**
 * A plugin, as extensions were written before there were capabilities: a layer and a tool. `config.json` names the file,
 * `"plugins": ["./own-plugin.ts"]`, and goes on working.
 */
import type { Plugin } from 'foreword/capability'
import type { Tool } from 'foreword/tool'

const tide: Tool = {
  name: 'tide',
  description: 'Height of the tide at Brest, in metres.',
  inputSchema: {
    type: 'object',
    properties: { hour: { type: 'number', minimum: 0, maximum: 24 } },
    required: ['hour'],
    additionalProperties: false,
  },
  idempotent: true,
  async execute(input) {
    const { hour } = input as { hour: number }
    return { ok: true, output: (4 + 3 * Math.cos((hour / 12.4) * 2 * Math.PI)).toFixed(2) }
  },
}

const harbour: Plugin = {
  name: 'harbour',
  version: '1.0.0',
  tools: () => [tide],
  layers: async () => [
    { id: 'harbour', layer: 'memory', renditions: [{ form: 'full', text: 'The boat draws 1.80 metres.' }] },
  ],
}

export default harbour
