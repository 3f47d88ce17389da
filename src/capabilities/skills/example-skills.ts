import type { SessionStore } from '../../session.ts'
import { fileDiff, type Tool } from '../../tool.ts'
import { noFrontmatter, type Skill } from './skill.ts'

/** Names of example skills begin so. They are used only where a session chooses them by name, and stand in no list. */
export const EXAMPLE = 'example-'

const TASKS = ['check', 'compare', 'plan', 'price', 'record', 'repair', 'report', 'reserve', 'teach', 'translate']
const SUBJECTS = [
  'tides',
  'berths',
  'ferries',
  'slipways',
  'moorings',
  'sails',
  'engines',
  'permits',
  'crews',
  'charts',
]

/** The one whose text is longer than the window of a small model. */
const LONG = `${EXAMPLE}check-tides`

/** A hundred skills to try with: with their texts they are larger than the window of a small model. */
export function exampleSkills(): readonly Skill[] {
  return TASKS.flatMap((task) => SUBJECTS.map((subject) => exampleSkill(task, subject)))
}

function exampleSkill(task: string, subject: string): Skill {
  const name = `${EXAMPLE}${task}-${subject}`
  const steps = [
    `# How to ${task} ${subject}`,
    `Ask which harbour it is about, for which day, and who needs to know what about its ${subject}.`,
    `Read the harbour's own table of ${subject} first. A table of another year has other times and other prices.`,
    `Write each value with its unit and its source. Where two sources disagree, write both, and say which is newer.`,
    `End with one sentence that says what to do next, and by when.`,
  ]
  return {
    name,
    description: `How to ${task} the ${subject} of a harbour, and whom to tell. An example.`,
    body: `${steps.join('\n\n')}${name === LONG ? `\n\n${tideTable()}` : ''}`,
    folder: `/${name}`,
    realFolder: `/${name}`,
    ref: `examples/${name}`,
    kind: 'home',
    fields: noFrontmatter,
    toolFiles: undefined,
    digest: undefined,
  }
}

/** Heights of the tide for 90 days, by the hour. */
function tideTable(): string {
  const start = Date.UTC(2026, 0, 1)
  return Array.from({ length: 90 * 24 }, (_, hour) => {
    const time = new Date(start + hour * 3_600_000).toISOString().slice(0, 16)
    return `${time} Brest ${(4 + 3 * Math.sin(hour / 1.98)).toFixed(2)} m`
  }).join('\n')
}

/** The tool of the example skill `example-record-tides`: it asks first, and what it writes belongs to its session alone. */
export function exampleTool(store: Pick<SessionStore, 'value' | 'transaction'>): Tool {
  return {
    name: 'write_harbour_log',
    description: 'Add a line to the harbour log of this session. A person is asked first.',
    inputSchema: {
      type: 'object',
      properties: { line: { type: 'string', minLength: 1, maxLength: 500 } },
      required: ['line'],
      additionalProperties: false,
    },
    approval: 'ask',
    readsContext: true,
    async plan(input, { session }) {
      const { line } = input as { readonly line: string }
      const key = exampleLog(session)
      const before = ((await store.value(key)) as string | null | undefined) ?? undefined
      const after = `${before ?? ''}- ${line}\n`
      return {
        diff: await fileDiff('harbour-log.md', before, after),
        facts: { kept: 'with this session, and removed with it' },
        async run() {
          await store.transaction([{ type: 'value', key, value: after }])
          return { ok: true, output: `harbour-log.md now says:\n${after}` }
        },
      }
    },
  }
}

/** The key of what the example tool has written in a session. */
export function exampleLog(session: string): string {
  return `skills/example-log/${session}`
}
