import { z } from 'zod'

const optionalText = z.string().nullish()
const optionalList = z.array(z.string()).nullish()

/** `soul.json`: who the agent is and how it speaks (BEHAVIOURS §2.1). Fields may be missing; others are ignored. */
export const soulSchema = z.object({
  version: z.union([z.string(), z.number()]).nullish(),
  soul: z
    .object({ name: optionalText, identity: optionalText, personality: optionalList, values: optionalList })
    .nullish(),
  voice: z.object({ tone: optionalList, style: optionalList, quirks: optionalList, never_do: optionalList }).nullish(),
})

export type Soul = z.infer<typeof soulSchema>

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

/** `user_profile.json`: whom the agent talks to (BEHAVIOURS §2.1). Fields may be missing; others are ignored. */
export const userProfileSchema = z.object({
  name: optionalText,
  nickname: optionalText,
  occupation: optionalText,
  location: optionalText,
  active_hours: optionalText,
  languages: optionalList,
  interests: optionalList,
  facts: optionalList,
  people: optionalList,
  projects: optionalList,
  communication: z
    .object({
      formality: optionalText,
      verbosity: optionalText,
      humor_receptiveness: optionalText,
      emoji_usage: optionalText,
    })
    .nullish(),
  emotional_patterns: z
    .object({ mood_baseline: optionalText, stress_triggers: optionalList, joy_triggers: optionalList })
    .nullish(),
})

export type UserProfile = z.infer<typeof userProfileSchema>

/** The layer's text: the content of the file alone, never a time of writing or of last contact. */
export function userProfileText(profile: UserProfile): string {
  const { communication, emotional_patterns: patterns } = profile
  return section(
    '# User Profile',
    section(
      '## Identity',
      bullets([
        labelled('Name', profile.name),
        labelled('Nickname', profile.nickname),
        labelled('Occupation', profile.occupation),
        labelled('Location', profile.location),
        labelled('Active Hours', profile.active_hours),
      ]),
    ),
    section('## Languages', bullets(profile.languages ?? [])),
    section('## Interests', bullets(profile.interests ?? [])),
    section('## Known Facts', bullets(profile.facts ?? [])),
    section('## People', bullets(profile.people ?? [])),
    section('## Projects', bullets(profile.projects ?? [])),
    section(
      '## Communication',
      bullets([
        labelled('Formality', communication?.formality),
        labelled('Verbosity', communication?.verbosity),
        labelled('Humor Receptiveness', communication?.humor_receptiveness),
        labelled('Emoji Usage', communication?.emoji_usage),
      ]),
    ),
    section(
      '## Emotional Patterns',
      bullets([
        labelled('Mood Baseline', patterns?.mood_baseline),
        ...(patterns?.stress_triggers ?? []).map((trigger) => labelled('Stress Trigger', trigger)),
        ...(patterns?.joy_triggers ?? []).map((trigger) => labelled('Joy Trigger', trigger)),
      ]),
    ),
  )
}

function section(heading: string, ...paragraphs: readonly string[]): string {
  const content = joined(...paragraphs)
  return content === '' ? '' : `${heading}\n\n${content}`
}

function joined(...paragraphs: readonly string[]): string {
  return paragraphs
    .map((paragraph) => paragraph.trim())
    .filter((paragraph) => paragraph !== '')
    .join('\n\n')
}

/** A line break within an item becomes a space, so that no item can forge a line (BEHAVIOURS §2.1). */
function bullets(items: readonly string[]): string {
  return items
    .map(oneLine)
    .filter((item) => item !== '')
    .map((item) => `- ${item}`)
    .join('\n')
}

function labelled(label: string, value: string | null | undefined): string {
  const line = oneLine(value ?? '')
  return line === '' ? '' : `${label}: ${line}`
}

/** A text of several lines without headings: a line that begins with `#` is escaped. */
function withoutHeadings(text: string): string {
  return text.replaceAll(/^([ \t]*)(?=#)/gm, '$1\\')
}

function oneLine(text: string): string {
  return text.replaceAll(/\s*[\n\r\v\f\u0085\u2028\u2029]\s*/g, ' ').trim()
}
