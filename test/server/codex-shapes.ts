/**
 * Calls with the structure of those that Codex makes: the same fields, items and tools in the same order, with texts of the tests.
 * One session: a question, a tool, an answer, two tools at once, an interruption, a resume; and a compaction.
 */
export interface CodexCall {
  readonly what: string
  readonly body: Readonly<Record<string, unknown>>
  readonly headers: Readonly<Record<string, string>>
}

const SESSION = '01a202aa-0000-7000-8000-000000000001'

const inputText = (text: string) => ({ type: 'input_text', text })
const message = (role: string, ...texts: readonly string[]) => ({
  type: 'message',
  id: `msg_${role}_${texts[0]?.length}`,
  role,
  content: texts.map(inputText),
})
const answered = (text: string) => ({
  type: 'message',
  status: 'completed',
  id: `m_${text.length}`,
  role: 'assistant',
  content: [{ type: 'output_text', text, annotations: [] }],
})
const thought = (text: string) => ({
  type: 'reasoning',
  id: 'rs_1',
  summary: [{ type: 'summary_text', text }],
  content: null,
  encrypted_content: 'gAAAA-of-another-provider',
})
const called = (id: string, name: string, input: object, namespace?: string) => ({
  type: 'function_call',
  status: 'completed',
  id: `fc_${id}`,
  name,
  ...(namespace === undefined ? {} : { namespace }),
  arguments: JSON.stringify(input),
  call_id: `call_${id}`,
})
const returned = (id: string, output: string) => ({
  type: 'function_call_output',
  id: `fco_${id}`,
  call_id: `call_${id}`,
  output,
})

const parameters = {
  type: 'object',
  properties: { cmd: { type: 'string' } },
  required: ['cmd'],
  additionalProperties: false,
}
const tool = (name: string) => ({ type: 'function', name, description: `The tool ${name}.`, strict: false, parameters })

const tools = [
  tool('exec_command'),
  tool('write_stdin'),
  tool('request_user_input'),
  tool('view_image'),
  {
    type: 'namespace',
    name: 'multi_agent_v1',
    description: 'Other agents.',
    tools: [tool('close_agent'), tool('spawn_agent'), tool('wait_agent')],
  },
  tool('update_goal'),
  { type: 'web_search', external_web_access: true },
]

const beginning = [
  message('developer', 'Permissions of the sandbox.'),
  message('developer', 'Instructions of the project.', 'Skills.'),
  message('user', 'Environment: Linux.', 'Folder: /work.'),
  message('user', 'What is in notes.txt?'),
]
const first = [
  thought('I should read it.'),
  answered('I read the file.'),
  called('1', 'exec_command', { cmd: 'cat notes.txt' }),
  returned('1', 'Tides.'),
]
const second = [
  answered('It is about tides.'),
  message('user', 'Look twice.'),
  called('2', 'exec_command', { cmd: 'wc notes.txt' }),
  called('3', 'spawn_agent', { cmd: 'look' }, 'multi_agent_v1'),
  returned('2', '1 1 6'),
  returned('3', 'spawned'),
]
const resumed = [
  answered('Done.'),
  message('user', 'Wait.'),
  message('user', '<turn_aborted>'),
  message('user', 'Go on.'),
]

function call(what: string, input: readonly object[], more: object = {}): CodexCall {
  return {
    what,
    headers: { 'session-id': SESSION, 'thread-id': SESSION, originator: 'codex_exec', accept: 'text/event-stream' },
    body: {
      model: 'foreword',
      stream: true,
      input,
      tools,
      tool_choice: 'auto',
      parallel_tool_calls: true,
      reasoning: { summary: 'auto' },
      store: false,
      include: ['reasoning.encrypted_content'],
      prompt_cache_key: SESSION,
      client_metadata: { turn_id: SESSION, session_id: SESSION },
      ...more,
    },
  }
}

/** What the model knows the tools of these calls as. */
export const codexToolNames: readonly string[] = [
  'exec_command',
  'write_stdin',
  'request_user_input',
  'view_image',
  'multi_agent_v1__close_agent',
  'multi_agent_v1__spawn_agent',
  'multi_agent_v1__wait_agent',
  'update_goal',
]

export const codexCalls: readonly CodexCall[] = [
  call('a question', beginning),
  call('the result of a tool', [...beginning, ...first]),
  call('the results of two tools', [...beginning, ...first, ...second]),
  call('a resume after an interruption', [...beginning, ...first, ...second, ...resumed]),
  call('a compaction', [...beginning, ...first, message('user', 'Summarise.')], {
    tools: [],
    parallel_tool_calls: false,
  }),
  call('a model that Codex does not know', beginning, { parallel_tool_calls: false, text: { verbosity: 'low' } }),
]
