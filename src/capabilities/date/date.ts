import type { Layer, Placement } from '../../context.ts'
import type { Plugin } from '../../capability/plugin.ts'
import { dateText, dateWords, type Granularity } from './date-text.ts'

export interface DateOptions {
  /** `day` unless given. */
  readonly granularity?: Granularity
  /** IANA name, such as `Europe/Berlin`. Never looked up: what a request says must not depend on the machine. */
  readonly timeZone: string
  /** `system` unless given. */
  readonly placement?: Placement
  /** `false`: only a prompt that asks for the date with `{{date}}` tells it. */
  readonly tells?: boolean
}

/** Layer `date`: when the input came, so that a request can be built again later, word for word. */
export function datePlugin(options: DateOptions): Plugin {
  const { granularity = 'day', timeZone, placement = 'system', tells = true } = options
  return {
    name: 'date',
    version: '1',
    date: ({ time }) => dateWords(time, granularity, timeZone),
    async layers({ time }): Promise<readonly Layer[]> {
      if (granularity === 'none' || !tells) return []
      const text = dateText(time, granularity, timeZone)
      const origin = { kind: 'operator', ref: 'date of the input' } as const
      return [{ id: 'date', layer: 'date', renditions: [{ form: 'full', text }], placement, priority: 'high', origin }]
    },
  }
}
