/*
 * What Claude Code sends in one session, with texts of our own: blocks instead of texts, a system message behind the first message
 * of the person, a mark of the cache that moves, tools of which some are loaded later, and options of several betas.
 */

const options = {
  model: 'claude-opus-5-5',
  system: [text('A header of the client.'), marked(text('You are an agent.')), marked(text('You work in /tides.'))],
  tools: [
    { ...tool('Bash'), input_schema: { type: 'object', properties: { command: { type: 'string' } } } },
    tool('Read'),
    { ...tool('DeferredToolPlaceholder'), defer_loading: true },
  ],
  metadata: { user_id: 'a-device' },
  max_tokens: 128_000,
  thinking: { type: 'adaptive', display: 'updates' },
  context_management: { edits: [{ type: 'clear_thinking_20251015', keep: 'all' }] },
  output_config: { effort: 'medium' },
  stream: true,
}

/** The bodies of its calls in their order: a message, the result of a tool, two results, a summary, and what goes on from it. */
export const claudeCodeCalls: readonly object[] = (() => {
  const opening = { role: 'user', content: [text('Reminder one.'), text('Reminder two.'), text('Fix the tide table.')] }
  const amid = (content: unknown) => ({ role: 'system', content, output_config: { effort: 'medium' } })
  const read = {
    role: 'assistant',
    content: [
      { type: 'thinking', thinking: 'I have to read it.', signature: 'c2lnbmVk' },
      text('I read it.'),
      use('toolu_1', 'Read', { file_path: '/tide.md' }),
    ],
  }
  const two = {
    role: 'assistant',
    content: [use('toolu_2', 'Bash', { command: 'ls' }), use('toolu_3', 'Bash', { command: 'pwd' })],
  }
  const first = [opening, amid([marked(text('The date is the first of May.'))])]
  const second = [
    opening,
    amid('The date is the first of May.'),
    read,
    results(marked(result('toolu_1', '1\thigh at noon'))),
  ]
  const third = [
    ...second.slice(0, 3),
    results(result('toolu_1', '1\thigh at noon')),
    { role: 'assistant', content: [text('Read. What else?')] },
    { role: 'user', content: 'List the folder.' },
    two,
    results(
      { ...result('toolu_2', 'tide.md'), is_error: false },
      marked({ ...result('toolu_3', 'Exit code 1'), is_error: true }),
    ),
  ]
  const summary = [
    ...third.slice(0, -1),
    results(result('toolu_2', 'a'), result('toolu_3', 'b'), text('Summarize it all.')),
  ]
  const after = [
    opening,
    { role: 'system', content: 'Earlier: a tide table.' },
    two,
    results(result('toolu_2', 'a'), result('toolu_3', 'b'), text('Go on.')),
    amid([marked(text('Be brief.'))]),
  ]
  return [first, second, third, summary, after].map((messages) => ({ ...options, messages }))
})()

/** The small calls beside them: a title by a schema, and a question whether there is any quota. */
export const claudeCodeSideCalls: readonly object[] = [
  {
    model: 'claude-haiku-4-5-20251001',
    messages: [{ role: 'user', content: [text('Name this conversation.')] }],
    system: [text('You write titles.')],
    tools: [],
    metadata: { user_id: 'a-device' },
    max_tokens: 32_000,
    thinking: { type: 'disabled' },
    temperature: 1,
    output_config: {
      format: { type: 'json_schema', schema: { type: 'object', properties: { title: { type: 'string' } } } },
    },
    stream: true,
  },
  { model: 'claude-haiku-4-5-20251001', max_tokens: 1, messages: [{ role: 'user', content: 'quota' }] },
]

function text(words: string) {
  return { type: 'text', text: words }
}

function marked<Block extends object>(block: Block) {
  return { ...block, cache_control: { type: 'ephemeral' } }
}

function use(id: string, name: string, input: object) {
  return { type: 'tool_use', id, name, input }
}

function result(id: string, content: string) {
  return { tool_use_id: id, type: 'tool_result', content }
}

function results(...content: readonly object[]) {
  return { role: 'user', content }
}

function tool(name: string) {
  return { name, description: `Is named ${name}.`, input_schema: { type: 'object' } }
}
