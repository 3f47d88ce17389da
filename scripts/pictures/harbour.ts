import { mkdirSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { tokenx } from '../../src/context.ts'
import type { ScriptedAnswer, ScriptedRequest } from '../../src/testing.ts'

const skill = (name: string, description: string, body: string) =>
  `---\nname: ${name}\ndescription: ${description}\n---\n# ${name}\n\n${body}\n`

/** What the mast writes every twenty minutes: enough that a small window cannot keep it for long. */
function weather(): string {
  const lines = Array.from({ length: 72 }, (_, index) => {
    const minute = index * 20
    const time = `${String(Math.floor(minute / 60)).padStart(2, '0')}:${String(minute % 60).padStart(2, '0')}`
    const force = 4 + Math.round(2 * Math.sin(index / 9))
    return `${time} Mast: wind west ${force}, gusts ${force * 6 + (index % 3)} kn, visibility ${8 - (index % 5)} miles.`
  })
  return lines.join('\n')
}

const files: Readonly<Record<string, string>> = {
  'workspace/AGENTS.md': `# The harbour office

- Times are UTC, heights are metres above chart datum.
- Give the source of a time: the table, the log, or the radio.
- A vessel with more than 8 m draught does not move within two hours of low water.
`,
  'workspace/log/2026-11-20.md': `# Log, 20 November 2026

04:10 Low water 1.3 m at the north lock.
06:25 *Albatros*, draught 8.4 m, asks for berth 4.
07:40 Wind west 6, gusts 38 kn. Pilot boat stays in.
10:22 High water 6.9 m. *Albatros* moved to berth 4, two tugs.
14:05 Fog bank off the breakwater, visibility 300 m.
16:31 Low water 1.1 m.

${weather()}
`,
  'skills/tide-tables/SKILL.md': skill(
    'tide-tables',
    'Read a tide table and say when there is enough water for a draught.',
    'Take the height of the day, subtract the draught and the margin of the berth, and name the two times between which the vessel floats. '.repeat(
      5,
    ),
  ),
  'skills/radio-calls/SKILL.md': skill(
    'radio-calls',
    'Write a call to a vessel as it is said on channel 12.',
    'Say the name of the vessel three times, the name of the station once, and then one sentence for one matter. '.repeat(
      4,
    ),
  ),
  'skills/berth-plan/SKILL.md': skill(
    'berth-plan',
    'Plan the berths of a day, with draught, length and tugs.',
    'List the vessels by draught, the deepest first, and give each the berth whose depth leaves one metre at low water. '.repeat(
      5,
    ),
  ),
  'tool-access.json': JSON.stringify({
    global: { mode: 'allowlist', allowedTools: ['list_files', 'read_file', 'edit_file'] },
  }),
}

/** Puts the instructions, the skills and the files of a harbour office into a home. */
export async function harbourHome(home: string): Promise<void> {
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(dirname(join(home, path)), { recursive: true })
    writeFileSync(join(home, path), text)
  }
}

/** A window so small that a conversation of ten messages is cut. */
export const harbourConfiguration = {
  model: 'anthropic/claude-sonnet-4-5',
  models: { 'anthropic/claude-sonnet-4-5': { window: 2500 } },
  context: { reserve: 700 },
}

export const questions = [
  'When is high water today, and how high?',
  'Which vessels wait for it?',
  'Write the call to the Albatros.',
  'What was the wind when the pilot boat stayed in?',
  'Plan the berths for tomorrow.',
] as const

const TABLE = `High water is at **10:22 UTC** with **6.9 m**, from the log of the north lock.

| Time (UTC) | Height | What follows |
| --- | --- | --- |
| 04:10 | 1.3 m | no move above 8 m draught until 06:10 |
| 10:22 | 6.9 m | *Albatros* can take berth 4 |
| 16:31 | 1.1 m | low water, fog off the breakwater |
`

const WAITING = `Two vessels wait for it:

| Vessel | Draught | Asks for | Earliest move |
| --- | --- | --- | --- |
| *Albatros* | 8.4 m | berth 4 | 08:50, two tugs |
| *Morgenstern* | 6.1 m | berth 2 | 07:15 |

*Albatros* needs 9.4 m over the sill with the margin of berth 4. The rule of two hours after low water keeps her outside until 06:10, and the height of the tide until 08:50. *Morgenstern* floats at any time after 07:15 and needs no tug. The pilot boat stays in while gusts are above 35 kn, so both are brought in by the tug masters.`

const WIND = `West 6 with gusts of 38 kn, logged at 07:40. The limit for the pilot boat is 35 kn.

It matters for the plan: with the wind from the west, *Albatros* turns off the breakwater and not in the basin, which takes twenty minutes more. The tugs meet her at the outer buoy, one on the bow and one on the port quarter. If the fog of 14:05 comes back before she is inside, she anchors and waits for the next tide.`

const PLAN = `Tomorrow's berths, the deepest draught first:

1. **Albatros**, 8.4 m: berth 4 until 11:00, then out with the ebb. Two tugs, channel 12.
2. **Morgenstern**, 6.1 m: berth 2. Loads until 15:30 and leaves before low water.
3. **Pilot boat**: inner pontoon, out as soon as gusts are below 35 kn.

Berth 4 leaves 1.1 m below the keel of *Albatros* at low water and berth 2 leaves 1.6 m below *Morgenstern*. I took the heights from the log of the north lock. The table of the year gives 5 cm less, which changes neither berth.`

const NOTE = `High water is at 10:22 UTC with 6.9 m, low water at 16:31 with 1.1 m (log of the north lock). *Albatros*, draught 8.4 m, waits for it: berth 4, not before 08:50, two tugs. *Morgenstern*, 6.1 m, asks for berth 2 and floats from 07:15. The pilot boat stays in above 35 kn.`

const answers: Readonly<Record<string, string>> = {
  [questions[0]]: TABLE,
  [questions[1]]: WAITING,
  [questions[2]]:
    '> Albatros, Albatros, Albatros, this is Harbour Control. Berth 4 is clear, two tugs meet you at 10:00.',
  [questions[3]]: WIND,
  [questions[4]]: PLAN,
}

/** What the model of the pictures says. */
export function harbourAnswer(request: ScriptedRequest): ScriptedAnswer {
  const texts = textsOf(request)
  const usage = usageOf(request)
  if (texts.at(-1)?.startsWith('Write the note ')) return { text: NOTE, usage }
  const question = texts.findLast((text) => Object.hasOwn(answers, text)) ?? ''
  const hasRead = JSON.stringify(request.body['messages']).includes('Log, 20 November 2026')
  if (question === questions[0] && !hasRead) {
    const reasoning = 'The log of the day has the heights. I read it first.'
    return {
      reasoning,
      signature: 'c2ln',
      toolCalls: [{ name: 'read_file', input: { path: 'log/2026-11-20.md' } }],
      usage,
    }
  }
  const text = answers[question]
  if (text === undefined) throw new Error(`No answer is written for ${JSON.stringify(texts.at(-1))}.`)
  return { text, usage }
}

/** The texts of the person in a request, in order: a message can have another text before the question. */
function textsOf({ body }: ScriptedRequest): readonly string[] {
  const messages = body['messages'] as readonly {
    readonly role: string
    readonly content: readonly { readonly text?: string }[]
  }[]
  return messages
    .filter(({ role }) => role === 'user')
    .flatMap(({ content }) => content.flatMap(({ text }) => text ?? []))
}

let sentBefore = ''

/** What a provider with a prompt cache would report: the beginning that is the same as before was read from the cache. */
function usageOf({ body }: ScriptedRequest): NonNullable<ScriptedAnswer['usage']> {
  const text = [body['tools'], body['system'], body['messages']].map((part) => JSON.stringify(part ?? '')).join('\n')
  let same = 0
  while (same < text.length && text[same] === sentBefore[same]) same += 1
  sentBefore = text
  const whole = Math.round(tokenx.text(text) * 0.93)
  const cached = Math.round((whole * same) / text.length)
  return {
    promptTokens: whole,
    cachedTokens: cached,
    cacheWrittenTokens: Math.round((whole - cached) * 0.9),
    outputTokens: 180,
  }
}
