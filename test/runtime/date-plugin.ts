import type { Plugin } from '../../src/capability.ts'
import { dateWords } from '../../src/capabilities/date/date.ts'

/** Says the date as every home does. */
export function datePlugin({ timeZone }: { readonly timeZone: string }): Plugin {
  return {
    name: 'date',
    version: '1',
    layers: async ({ time }) => [
      {
        id: 'date',
        layer: 'date',
        renditions: [{ form: 'full', text: `Today is ${dateWords(time, 'day', timeZone)}.` }],
        placement: 'system',
        priority: 'high',
        origin: { kind: 'operator', ref: 'date of the input' },
      },
    ],
  }
}
