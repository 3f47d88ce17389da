import { z } from 'zod'
import { capability } from '../../capability.ts'
import { dateText, dateWords } from './date-text.ts'

/** Layer `date`: when the input came, so that a request can be built again later, word for word. */
export const date = capability({
  name: 'date',
  summary: 'tells the model the date',
  settingsKey: 'context.dateGranularity',
  settings: z
    .enum(['day', 'minute', 'none'])
    .default('day')
    .describe('How exactly the model is told the time. A minute makes every prompt cache miss.'),
  placeholders: ({ settings, timeZone }, { time }) => ({ date: dateWords(time, settings, timeZone) }),
  /** Where the layout does not tell it, only a prompt that asks for the date with `{{date}}` does. */
  layers({ settings, timeZone, layout }, { time }) {
    if (settings === 'none' || !layout.tellsDate) return []
    const text = dateText(time, settings, timeZone)
    const origin = { kind: 'operator', ref: 'date of the input' } as const
    return [
      {
        id: 'date',
        layer: 'date',
        renditions: [{ form: 'full', text }],
        placement: 'system',
        priority: 'high',
        origin,
      },
    ]
  },
})
