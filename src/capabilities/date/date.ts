import { z } from 'zod'
import { capability, textLayer } from '../../capability.ts'

/** Layer `date`: when the input came, so that a request can be built again later, word for word. */
export const date = capability({
  name: 'date',
  summary: 'tells the model the date',
  settings: {
    key: 'context.dateGranularity',
    schema: z
      .enum(['day', 'minute', 'none'])
      .default('day')
      .describe('How exact the time in the prompt is. With `minute`, every prompt cache misses.'),
  },
  placeholders: ({ settings, timeZone }, { time }) => ({ date: dateWords(time, settings, timeZone) }),
  /** Where the layout does not tell it, only a prompt that asks for the date with `{{date}}` does. */
  layers({ settings, timeZone }, { time, layout }) {
    if (settings === 'none' || !layout.tellsDate) return []
    const sentence = `${settings === 'day' ? 'Today' : 'It'} is ${dateWords(time, settings, timeZone)}.`
    const layer = textLayer('date', sentence, 'date of the input')
    return [{ ...layer, placement: 'system', priority: 'high' }]
  },
})

type Granularity = 'day' | 'minute' | 'none'

/**
 * The date for use in a sentence, such as `Saturday, 2026-11-21`. To the minute only where that is asked for: a minute in the head
 * makes every prompt cache miss (BEHAVIOURS §3.3). A prompt that asks for the date gets at least the day. Throws a `RangeError` for
 * a time or a time zone that does not exist.
 */
export function dateWords(time: string, granularity: Granularity, timeZone: string): string {
  const at = `${Math.floor(Date.parse(time) / 60_000)} ${timeZone}`
  if (last?.at !== at) {
    const format = formats.get(timeZone) ?? new Intl.DateTimeFormat('en-US', { ...dateFormat, timeZone })
    formats.set(timeZone, format)
    last = {
      at,
      parts: Object.fromEntries(format.formatToParts(new Date(time)).map(({ type, value }) => [type, value])),
    }
  }
  const { weekday, year, month, day, hour, minute } = last.parts
  const written = `${weekday}, ${year}-${month}-${day}`
  return granularity === 'minute' ? `${written}, ${hour}:${minute} (${timeZone})` : written
}

/** Making a format costs a hundred times what using it does. */
const formats = new Map<string, Intl.DateTimeFormat>()
/** The minute that was written last: all turns of a minute have the same date. */
let last: { readonly at: string; readonly parts: Readonly<Record<string, string>> } | undefined

const dateFormat = {
  calendar: 'gregory',
  numberingSystem: 'latn',
  hourCycle: 'h23',
  weekday: 'long',
  year: 'numeric',
  month: '2-digit',
  day: '2-digit',
  hour: '2-digit',
  minute: '2-digit',
} as const
