import type { Plugin } from '../../src/capability.ts'
import { dateSentence } from '../../src/capabilities/date/date.ts'

/** Says the date as every home does. */
export function datePlugin({ timeZone }: { readonly timeZone: string }): Plugin {
  return {
    name: 'date',
    version: '1',
    layers: async ({ time }) => [
      {
        id: 'date',
        layer: 'date',
        renditions: [{ form: 'full', text: dateSentence(time, 'day', timeZone) }],
        placement: 'system',
        priority: 'high',
        origin: { kind: 'operator', ref: 'date of the input' },
      },
    ],
  }
}
