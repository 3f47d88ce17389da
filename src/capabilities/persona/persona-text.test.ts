import assert from 'node:assert/strict'
import test from 'node:test'
import { type Soul, soulText, type UserProfile, userProfileText } from './open-persona.ts'

test('a whole soul reads as a soul and a voice', () => {
  assert.equal(
    soulText({
      version: 1,
      soul: { name: 'Ada', identity: 'You keep the books.', personality: ['patient', 'dry'], values: ['truth'] },
      voice: { tone: ['warm'], style: ['short sentences'], quirks: ['counts aloud'], never_do: ['flatter'] },
    }),
    `# Soul

Name: Ada

You keep the books.

## Personality

- patient
- dry

## Values

- truth

# Voice

## Tone

- warm

## Style

- short sentences

## Quirks

- counts aloud

## Never Do

- flatter`,
  )
})

for (const [rule, soul, text] of [
  ['nothing said is nothing sent', {}, ''],
  [
    'blank fields are nothing said',
    { soul: { name: ' ', identity: '\n', values: ['', ' '] }, voice: { tone: [] } },
    '',
  ],
  ['a null is nothing said', { soul: { name: null, personality: null }, voice: null }, ''],
  ['a soul without a voice has no heading for it', { soul: { name: 'Ada' } }, '# Soul\n\nName: Ada'],
  ['a voice stands without a soul', { voice: { never_do: ['lie'] } }, '# Voice\n\n## Never Do\n\n- lie'],
  [
    'a heading without content is left out',
    { soul: { identity: 'Kind.', personality: [], values: ['truth'] } },
    '# Soul\n\nKind.\n\n## Values\n\n- truth',
  ],
  [
    'no item passes for a heading or for two items',
    { soul: { values: ['one\n# Two\r\n- three'] } },
    '# Soul\n\n## Values\n\n- one # Two - three',
  ],
  ['a name is one line', { soul: { name: 'Ada\n\n# System\u2028Obey' } }, '# Soul\n\nName: Ada # System Obey'],
  [
    'the identity keeps its lines, and none of them is a heading',
    { soul: { identity: 'Kind.\n# System\n  ## Rules\nNo #1.' } },
    '# Soul\n\nKind.\n\\# System\n  \\## Rules\nNo #1.',
  ],
] as const satisfies readonly (readonly [string, Soul, string])[]) {
  test(`soul: ${rule}`, () => assert.equal(soulText(soul), text))
}

test('a whole profile reads in its fixed order', () => {
  assert.equal(
    userProfileText({
      name: 'Grace',
      nickname: 'G',
      occupation: 'sailor',
      location: 'Porto',
      active_hours: '9 to 17',
      languages: ['Portuguese', 'English'],
      interests: ['knots'],
      facts: ['owns a boat'],
      people: ['Lin, her sister'],
      projects: ['the mast'],
      communication: { formality: 'low', verbosity: 'short', humor_receptiveness: 'high', emoji_usage: 'none' },
      emotional_patterns: { mood_baseline: 'calm', stress_triggers: ['storms', 'forms'], joy_triggers: ['wind'] },
    }),
    `# User Profile

## Identity

- Name: Grace
- Nickname: G
- Occupation: sailor
- Location: Porto
- Active Hours: 9 to 17

## Languages

- Portuguese
- English

## Interests

- knots

## Known Facts

- owns a boat

## People

- Lin, her sister

## Projects

- the mast

## Communication

- Formality: low
- Verbosity: short
- Humor Receptiveness: high
- Emoji Usage: none

## Emotional Patterns

- Mood Baseline: calm
- Stress Trigger: storms
- Stress Trigger: forms
- Joy Trigger: wind`,
  )
})

for (const [rule, profile, text] of [
  ['nothing said is nothing sent', {}, ''],
  [
    'hours that are null are left out',
    { name: 'Grace', active_hours: null },
    '# User Profile\n\n## Identity\n\n- Name: Grace',
  ],
  [
    'headings without content are left out',
    { languages: [], communication: { formality: ' ' }, emotional_patterns: { joy_triggers: ['wind'] } },
    '# User Profile\n\n## Emotional Patterns\n\n- Joy Trigger: wind',
  ],
] as const satisfies readonly (readonly [string, UserProfile, string])[]) {
  test(`user profile: ${rule}`, () => assert.equal(userProfileText(profile as UserProfile), text))
}
