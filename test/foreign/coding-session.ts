/** A message of a body of Messages, with its blocks. */
export interface SessionMessage {
  readonly role: string
  readonly content: string | readonly Readonly<Record<string, unknown>>[]
}

/** A body of Messages, in the shape in which Claude Code sends it. */
export interface SessionBody {
  readonly model: string
  readonly messages: readonly SessionMessage[]
  readonly system: readonly Readonly<Record<string, unknown>>[]
  readonly tools: readonly Readonly<Record<string, unknown>>[]
}

const text = (said: string, more: object = {}) => ({ type: 'text', text: said, ...more })
const reminder = (said: string) => text(`<system-reminder>\n${said}\n</system-reminder>`)
const call = (id: string, name: string, input: object): SessionMessage => ({
  role: 'assistant',
  content: [text('I will look.'), { type: 'tool_use', id, name, input }],
})
const result = (id: string, content: string): SessionMessage => ({
  role: 'user',
  content: [{ type: 'tool_result', tool_use_id: id, content }],
})
const mark = { cache_control: { type: 'ephemeral' } }

/** The lines of a file, so many of them. */
export const fileText = (name: string, lines: number) =>
  Array.from({ length: lines }, (_, index) => `${index + 1}: const ${name}${index} = ${index * 7}`).join('\n')

const skills = 'The following skills are available:\n\n- review: Reads a change.\n- release: Makes a version.'

/** A session of three turns with files that were read, as its fourth call sends it. */
export const codingSession: SessionBody = {
  model: 'a-model',
  messages: [
    {
      role: 'user',
      content: [
        reminder(skills),
        reminder(
          'Use what follows.\n# claudeMd\nContents of /work/CLAUDE.md (checked in):\n\nWrite tests first.\n# currentDate\nToday is 2026-11-23.',
        ),
        text('What does the parser do?'),
      ],
    },
    call('c1', 'Read', { file_path: 'src/parser.ts' }),
    result('c1', fileText('parser', 80)),
    { role: 'assistant', content: [text('It parses.')] },
    { role: 'user', content: 'And the printer?' },
    call('c2', 'Read', { file_path: 'src/printer.ts' }),
    result('c2', fileText('printer', 60)),
    { role: 'assistant', content: [text('It prints.')] },
    { role: 'user', content: [text('Run the tests.', mark)] },
  ],
  system: [
    text('x-anthropic-billing-header: cc_version=2.1.330; cch=a1b2c;'),
    text('You help with code.', mark),
    text('Do as you are asked.\n\n# Environment\nPlatform: linux\nDate: 2026-11-23\n', mark),
  ],
  tools: ['Bash', 'Edit', 'Read', 'mcp__tickets__list'].map((name) => ({
    name,
    description: `Runs ${name}.`,
    input_schema: { type: 'object', properties: { value: { type: 'string' } } },
  })),
}

/** The messages of the call after it: an answer with a call, and the result of that. */
export const nextMessages = (file = 'src/tests.ts'): readonly SessionMessage[] => [
  call('c3', 'Read', { file_path: file }),
  result('c3', fileText('again', 50)),
]

/** The messages without any mark, and the last block with one: what clients do between two calls. */
export function withMovedMark(body: SessionBody): SessionBody {
  const plain = body.messages.map(({ role, content }) => ({
    role,
    content: typeof content === 'string' ? content : content.map(({ cache_control: _mark, ...block }) => block),
  }))
  const last = plain.at(-1)!
  const blocks = typeof last.content === 'string' ? [text(last.content)] : last.content
  const marked = { ...last, content: [...blocks.slice(0, -1), { ...blocks.at(-1), ...mark }] }
  return { ...body, messages: [...plain.slice(0, -1), marked] }
}
