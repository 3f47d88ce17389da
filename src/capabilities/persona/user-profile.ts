import { z } from 'zod'
import { bullets, labelled, section } from './markdown.ts'

const text = z.string().nullish()
const list = z.array(z.string()).nullish()

/** `user_profile.json`: whom the agent talks to (BEHAVIOURS §2.1). Fields may be missing; others are ignored. */
export const userProfileSchema = z.object({
  name: text,
  nickname: text,
  occupation: text,
  location: text,
  active_hours: text,
  languages: list,
  interests: list,
  facts: list,
  people: list,
  projects: list,
  communication: z.object({ formality: text, verbosity: text, humor_receptiveness: text, emoji_usage: text }).nullish(),
  emotional_patterns: z.object({ mood_baseline: text, stress_triggers: list, joy_triggers: list }).nullish(),
})

export type UserProfile = z.infer<typeof userProfileSchema>

/** The layer's text. What the file says and nothing else: never a time of writing or of last contact. */
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
