import { z } from 'zod'
import { bullets, joined, labelled, section, withoutHeadings } from './markdown.ts'

const text = z.string().nullish()
const list = z.array(z.string()).nullish()

/** `soul.json`: who the agent is and how it speaks (BEHAVIOURS §2.1). Fields may be missing; others are ignored. */
export const soulSchema = z.object({
  version: z.union([z.string(), z.number()]).nullish(),
  soul: z.object({ name: text, identity: text, personality: list, values: list }).nullish(),
  voice: z.object({ tone: list, style: list, quirks: list, never_do: list }).nullish(),
})

export type Soul = z.infer<typeof soulSchema>

/** The layer's text. A heading without content is left out; nothing at all where nothing is said. */
export function soulText({ soul, voice }: Soul): string {
  return joined(
    section(
      '# Soul',
      labelled('Name', soul?.name),
      withoutHeadings(soul?.identity ?? ''),
      section('## Personality', bullets(soul?.personality ?? [])),
      section('## Values', bullets(soul?.values ?? [])),
    ),
    section(
      '# Voice',
      section('## Tone', bullets(voice?.tone ?? [])),
      section('## Style', bullets(voice?.style ?? [])),
      section('## Quirks', bullets(voice?.quirks ?? [])),
      section('## Never Do', bullets(voice?.never_do ?? [])),
    ),
  )
}
