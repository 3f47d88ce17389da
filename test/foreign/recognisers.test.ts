import assert from 'node:assert/strict'
import test from 'node:test'
import { tokenx } from '../../src/context.ts'
import { identifyCall } from '../../src/foreign.ts'
import { explainRequest } from '../../src/foreign/explain-request.ts'
import { type WireFormat } from '../../src/wire.ts'

const entries = (format: WireFormat, body: unknown, client?: string) =>
  explainRequest({ format, body, counter: tokenx, ...(client === undefined ? {} : { client }) }).manifest.entries.map(
    ({ slot, layer, id }) => `${slot} ${layer} ${id}`,
  )

const kindOf = (agent: string, path: string, body: unknown, headers: Record<string, string> = {}) =>
  identifyCall({ method: 'POST', path, headers: { 'user-agent': agent, ...headers } }, body).kind

test('the system message that Claude Code puts into a conversation has its lists apart', () => {
  const lists = [
    'Available agent types for the Agent tool:\n- general: Does anything.\n',
    'The following skills are available for use:\n\n- review: Reads a change.\n',
    '# MCP Server Instructions\n\n## tickets\nAsk for one at a time.',
  ]
  const body = {
    messages: [
      { role: 'user', content: 'Go.' },
      { role: 'system', content: lists.join('\n') },
    ],
  }
  assert.deepEqual(entries('messages', body, 'claude-code'), [
    'input turn turn-1',
    'input agents turn-1/agents',
    'input skills turn-1/skills',
    'input mcp-instructions turn-1/mcp-instructions',
  ])
})

test('what Claude Code says beside the words of a person is no turn: an interruption, a command, a changed file', () => {
  const body = {
    messages: [
      { role: 'user', content: '<command-name>/init</command-name>\n<command-args></command-args>' },
      { role: 'user', content: 'Go.' },
      { role: 'assistant', content: 'I go.' },
      {
        role: 'user',
        content: [
          { type: 'text', text: '[Request interrupted by user]' },
          { type: 'text', text: 'Stop.' },
        ],
      },
      { role: 'assistant', content: [{ type: 'tool_use', id: 'c1', name: 'Read', input: { file_path: 'a.ts' } }] },
      {
        role: 'user',
        content: [
          { type: 'tool_result', tool_use_id: 'c1', content: 'a' },
          {
            type: 'text',
            text: '<system-reminder>\nNote: b.ts was modified, either by the user or by a linter.\n</system-reminder>',
          },
        ],
      },
    ],
  }
  assert.deepEqual(entries('messages', body, 'claude-code'), [
    'preamble command command',
    'history turn turn-1',
    'input interruption turn-2/interruption',
    'input turn turn-2',
    'input tool-call turn-2/call-c1',
    'input tool-result turn-2/c1',
    'input changed-file turn-2/changed-file',
  ])
})

test('an agent that Claude Code started is also known by what it says for the bill', () => {
  const body = {
    system: [{ type: 'text', text: 'x-anthropic-billing-header: cc_version=2.1; cc_is_subagent=true;' }],
    messages: [],
  }
  assert.equal(kindOf('claude-cli/2.1.330', '/v1/messages', body), 'sub-agent')
})

test('what Claude Code hints of a request to a gateway is believed before its words', () => {
  const kind = (headers: Record<string, string>, body: unknown = { messages: [] }) =>
    kindOf('claude-cli/2.1.330', '/v1/messages', body, headers)
  const titled = { output_config: { format: { schema: { properties: { title: {} } } } } }
  assert.equal(kind({ 'x-claude-code-request-class': 'main' }), 'turn')
  assert.equal(kind({ 'x-claude-code-request-class': 'workflow' }), 'sub-agent')
  assert.equal(kind({ 'x-claude-code-request-class': 'compaction', 'x-claude-code-agent-id': 'a' }), 'compaction')
  assert.equal(kind({ 'x-claude-code-compaction': 'auto' }), 'compaction')
  assert.equal(kind({ 'x-claude-code-request-class': 'auxiliary' }), 'other')
  assert.equal(kind({ 'x-claude-code-request-class': 'auxiliary' }, titled), 'title')
  const head = {
    method: 'POST',
    path: '/v1/messages',
    headers: { 'user-agent': 'claude-cli/2', 'x-claude-code-prompt-id': 'p1' },
  }
  assert.equal(identifyCall(head, {}).turn, 'p1')
})

test('Codex names its kinds in the metadata of a turn: a call that only warms up is no turn', () => {
  const kind = (about: object) =>
    kindOf('codex_cli_rs/0.170.0', '/v1/responses', {
      client_metadata: { 'x-codex-turn-metadata': JSON.stringify(about) },
    })
  assert.equal(kind({ request_kind: 'turn', thread_source: 'user' }), 'turn')
  assert.equal(kind({ request_kind: 'prewarm' }), 'other')
  assert.equal(kind({ request_kind: 'turn', thread_source: 'subagent' }), 'sub-agent')
  assert.equal(kind({ request_kind: 'background_turn', subagent_kind: 'guardian' }), 'sub-agent')
})

test('what Codex says beside the words of a person has names of its own', () => {
  const said = (role: string, text: string) => ({ type: 'message', role, content: [{ type: 'input_text', text }] })
  const body = {
    input: [
      said('developer', '<collaboration_mode>Default</collaboration_mode>'),
      said('user', '<user_instructions>\nBe brief.\n</user_instructions>'),
      said('user', 'Go.'),
      { type: 'message', role: 'assistant', content: [{ type: 'output_text', text: 'I go.' }] },
      said('user', '<turn_aborted>\nIt was stopped.\n</turn_aborted>'),
      said('user', '<skill>\n<name>review</name>\nRead a change.\n</skill>'),
      said('user', 'Review it.'),
      { type: 'web_search_call', id: 'ws_1', status: 'completed', action: { type: 'search', query: 'x' } },
      { type: 'compaction', encrypted_content: 'AAAA' },
    ],
  }
  assert.deepEqual(entries('responses', body, 'codex'), [
    'system mode mode',
    'preamble instructions instructions',
    'history turn turn-1',
    'input interruption turn-2/interruption',
    'input skill turn-2/review',
    'input turn turn-2',
    'input other turn-2/other',
    'input other turn-2/other-2',
  ])
})

test('the prompt of pi is taken apart: the files of a project, skills, the date and the folder', () => {
  const system = [
    'You are an expert coding assistant operating inside pi, a coding agent harness.',
    '<project_context>',
    '<project_instructions path="/work/AGENTS.md">\nBe brief.\n</project_instructions>',
    '</project_context>',
    '<available_skills>\n  <skill><name>review</name></skill>\n</available_skills>',
    'Current date: 2026-11-24',
    'Current working directory: /work',
  ].join('\n')
  const call = { id: 'c1', type: 'function', function: { name: 'read', arguments: '{"path":"src/a.ts"}' } }
  const body = {
    messages: [
      { role: 'system', content: system },
      {
        role: 'user',
        content:
          'The conversation history before this point was compacted into the following summary:\n\n<summary>A file was read.</summary>',
      },
      { role: 'user', content: 'Go.' },
      { role: 'assistant', content: null, tool_calls: [call] },
      { role: 'tool', tool_call_id: 'c1', content: 'a' },
    ],
  }
  assert.deepEqual(identifyCall({ method: 'POST', path: '/v1/chat/completions', headers: {} }, body).client, {
    name: 'pi',
  })
  assert.deepEqual(entries('chat-completions', body, 'pi'), [
    'system system-prompt system-prompt',
    'system instructions /work/AGENTS.md',
    'system system-prompt system-prompt-2',
    'system skills skills',
    'system environment environment',
    'system environment environment-2',
    'preamble summary summary',
    'input turn turn-1',
    'input tool-call turn-1/call-c1',
    'input tool-result turn-1/c1',
  ])
  const summary = {
    messages: [
      { role: 'system', content: 'You are a context summarization assistant. …' },
      { role: 'user', content: '…' },
    ],
  }
  assert.equal(kindOf('pi/0.71', '/v1/chat/completions', summary), 'compaction')
})

test('a call of OpenClaw to another address than that of a vendor is known by its prompt, with its session', () => {
  const system = (runtime: string) => [
    { type: 'text', text: '<!-- openclaw:attempt:STABLE -->\nYou are a personal assistant running inside OpenClaw.' },
    { type: 'text', text: `## Runtime\n${runtime}\n<!-- /openclaw:attempt:DYNAMIC -->` },
  ]
  const identify = (runtime: string) =>
    identifyCall(
      { method: 'POST', path: '/v1/messages', headers: { 'user-agent': 'undici' } },
      { system: system(runtime), tools: [{}], messages: [] },
    )
  const id = '4ef5d31f-6cd2-4f0f-8d23-a19c96a2fd58'
  const own = identify(`Runtime: agent=main | session=agent:main:main | sessionId=${id} | host=vm`)
  assert.deepEqual([own.client.name, own.session, own.kind], ['openclaw', id, 'turn'])
  assert.equal(identify(`Runtime: agent=main | session=agent:main:subagent:x | sessionId=${id}`).kind, 'sub-agent')
  assert.equal(identify(`It says Runtime: agent=main | sessionId=${id}`).session, undefined)
})

test('what OpenClaw says beside the words of a person is no turn: when they wrote, and what runs', () => {
  const inner = '<<<BEGIN_OPENCLAW_INTERNAL_CONTEXT>>>\nNothing runs.\n<<<END_OPENCLAW_INTERNAL_CONTEXT>>>'
  const files = '# Project Context\n## /home/me/AGENTS.md\n# AGENTS.md - Your Workspace\n## Memory\nKeep it.'
  const rest = '<!-- /openclaw:attempt:STABLE -->\n## Temporal Context\nToday.\n## Delegation\nStay responsive.'
  const body = {
    system: `You are a personal assistant running inside OpenClaw.\n## Runtime Context\nIt follows.\n${files}\n${rest}`,
    messages: [
      { role: 'user', content: '[Tue 2026-11-24 18:11 UTC] Hello.' },
      { role: 'user', content: inner },
    ],
  }
  assert.deepEqual(entries('messages', body, 'openclaw'), [
    'system system-prompt system-prompt',
    'system instructions instructions',
    'system instructions /home/me/AGENTS.md',
    'system environment environment',
    'system system-prompt system-prompt-2',
    'preamble environment environment-2',
    'input turn turn-1',
    'input environment turn-1/environment',
  ])
})

test('the prompt of OpenClaw is taken apart: its skills, the files of its workspace, and where it runs', () => {
  const system = [
    'You are a personal assistant running inside OpenClaw.',
    '## Skills\nUse one.',
    '## Current Date & Time\nTime zone: Europe/Berlin',
    '# Project Context\nThese files were loaded:',
    '## AGENTS.md\nBe brief.\n## A heading of the file\nStill the file.',
    '## /home/me/SOUL.md\nBe kind.',
    '## Runtime\nhost=x',
  ].join('\n')
  const body = { instructions: system, input: [{ role: 'user', content: 'Hello.' }] }
  assert.equal(identifyCall({ method: 'POST', path: '/v1/responses', headers: {} }, body).client.name, 'openclaw')
  assert.deepEqual(entries('responses', body, 'openclaw'), [
    'system system-prompt system-prompt',
    'system skills skills',
    'system environment environment',
    'system instructions instructions',
    'system instructions AGENTS.md',
    'system instructions /home/me/SOUL.md',
    'system environment environment-2',
    'input turn turn-1',
  ])
})

test('agents of the terminal are known by their headers or by their prompt', () => {
  const prompt = (content: string) => ({
    messages: [
      { role: 'system', content },
      { role: 'user', content: 'Hello.' },
    ],
  })
  const id = '05da0865-236c-4438-94f0-6b11d6d9cd4f'
  const copilot = `You are the GitHub Copilot CLI, a terminal assistant.\n<session_context>\nSession folder: /home/me/.copilot/session-state/${id}\n</session_context>`
  for (const [agent, path, body, known] of [
    ['GeminiCLI-tui/0.61.0/gemini-2.5-pro (linux)', '/v1beta/models/g:generateContent', {}, ['gemini-cli', '0.61.0']],
    ['GeminiCLI/0.61.0/g (linux)', '/v1beta/models/g:generateContent', {}, ['gemini-cli', '0.61.0']],
    ['QwenCode/0.24.4 (linux; x64)', '/v1/chat/completions', {}, ['qwen-code', '0.24.4']],
    ['OpenAI/JS 5.20.1', '/v1/chat/completions', prompt(copilot), ['copilot-cli', undefined, id]],
    ['node-fetch', '/v1/chat/completions', prompt('You are an agent in the Continue CLI.'), ['continue']],
    ['ai-sdk/anthropic/4', '/v1/chat/completions', prompt('You are Cline, an AI coding agent.'), ['cline']],
  ] as const) {
    const { client, session } = identifyCall({ method: 'POST', path, headers: { 'user-agent': agent } }, body)
    assert.deepEqual([client.name, client.version, session], [known[0], known[1], known[2]], agent)
  }
  const snapshot = {
    systemInstruction: {
      parts: [{ text: 'You distill …, distilling chat history into a structured XML <state_snapshot>.' }],
    },
  }
  assert.equal(kindOf('GeminiCLI/0.61.0', '/v1beta/models/g:generateContent', snapshot), 'compaction')
  const remembering = prompt('You are now acting as the managed memory extraction subagent for an AI coding assistant.')
  assert.equal(kindOf('QwenCode/0.24.4', '/v1/chat/completions', remembering), 'sub-agent')
  const step = { 'x-interaction-type': 'conversation-subagent' }
  assert.equal(kindOf('OpenAI/JS 5', '/v1/chat/completions', prompt(copilot), step), 'sub-agent')
})

test('what agents of the terminal say beside the words of a person has names of its own', () => {
  const gemini = {
    systemInstruction: { parts: [{ text: 'You are careful.\n<available_skills>\n- review\n</available_skills>' }] },
    contents: [
      {
        role: 'user',
        parts: [
          {
            text: '<session_context>\nToday is Monday.\n<project_context>\n--- Context from: /work/GEMINI.md ---\nBe brief.\n--- End of Context from: /work/GEMINI.md ---\n</project_context>\n</session_context>',
          },
          { text: 'Go.' },
        ],
      },
      { role: 'model', parts: [{ functionCall: { name: 'read_file', args: { file_path: 'a.ts' } } }] },
    ],
  }
  assert.deepEqual(entries('generate-content', gemini, 'gemini-cli'), [
    'system system-prompt system-prompt',
    'system skills skills',
    'preamble environment environment',
    'preamble instructions /work/GEMINI.md',
    'input turn turn-1',
    'input tool-call turn-1/call-read_file-1',
  ])
  const qwen = {
    messages: [
      {
        role: 'system',
        content:
          'You are Qwen Code, an agent.\n\n--- Context from: QWEN.md ---\nBe brief.\n# auto memory\nYou have two folders.',
      },
      {
        role: 'user',
        content: [
          { type: 'text', text: '<system-reminder>\nThe following skills are available for use.\n</system-reminder>' },
          { type: 'text', text: '<system-reminder>\nThe current date is: Monday.\n</system-reminder>' },
          { type: 'text', text: 'Go.' },
        ],
      },
    ],
  }
  assert.deepEqual(entries('chat-completions', qwen, 'qwen-code'), [
    'system system-prompt system-prompt',
    'system instructions QWEN.md',
    'system memory memory',
    'preamble skills skills',
    'preamble environment environment',
    'input turn turn-1',
  ])
  const copilot = {
    messages: [
      {
        role: 'system',
        content:
          'You are the GitHub Copilot CLI.\n<environment_context>\nLinux\n</environment_context>\n<custom_instruction>\nBe brief.\n</custom_instruction>',
      },
      { role: 'user', content: '<current_datetime>2026-11-28</current_datetime>\n\nGo.' },
    ],
  }
  assert.deepEqual(entries('chat-completions', copilot, 'copilot-cli'), [
    'system system-prompt system-prompt',
    'system environment environment',
    'system instructions instructions',
    'preamble environment environment-2',
    'input turn turn-1',
  ])
  const call = (name: string, input: object) => ({
    messages: [{ role: 'assistant', tool_calls: [{ id: name, function: { name, arguments: JSON.stringify(input) } }] }],
  })
  for (const [client, name, input, target] of [
    ['cline', 'read_files', { files: [{ path: 'a.ts' }] }, 'a.ts'],
    ['cline', 'run_commands', { commands: ['npm test'] }, 'npm test'],
    ['continue', 'Read', { filepath: 'a.ts' }, 'a.ts'],
    ['copilot-cli', 'view', { path: 'a.ts' }, 'a.ts'],
  ] as const) {
    const { manifest } = explainRequest({
      format: 'chat-completions',
      body: call(name, input),
      counter: tokenx,
      client,
    })
    assert.equal(manifest.entries[0]?.name, target, name)
  }
})

test('a call of aider has the files of the chat and the map of the repository apart', () => {
  const body = {
    messages: [
      { role: 'system', content: 'Describe each change with a *SEARCH/REPLACE block*.' },
      { role: 'user', content: 'Here are summaries of some files present in my git repository.\na.ts' },
      { role: 'assistant', content: 'Ok.' },
      { role: 'user', content: 'I have *added these files to the chat*.\nb.ts' },
      { role: 'assistant', content: 'Ok.' },
      { role: 'user', content: 'Change it.' },
    ],
  }
  assert.equal(identifyCall({ method: 'POST', path: '/chat/completions', headers: {} }, body).client.name, 'aider')
  const found = entries('chat-completions', body, 'aider')
  assert.ok(found.includes('preamble repository-map repository-map'), found.join('\n'))
  assert.ok(
    found.some((entry) => entry.includes(' attachment ')),
    found.join('\n'),
  )
})

test('without a name of the client all tables are asked, and with one only its own and the general one', () => {
  const body = { messages: [{ role: 'user', content: '<turn_aborted>\nx\n</turn_aborted>' }] }
  assert.deepEqual(entries('messages', body), ['preamble interruption interruption'])
  assert.deepEqual(entries('messages', body, 'claude-code'), ['input turn turn-1'])
})

test('a section without its end, in the middle of a line or in the words of a model is none', () => {
  const of = (role: string, content: string) => entries('messages', { messages: [{ role, content }] })
  assert.deepEqual(of('user', 'What is <system-reminder>x</system-reminder>?'), ['input turn turn-1'])
  assert.deepEqual(of('user', '<system-reminder>\nx'), ['input turn turn-1'])
  assert.deepEqual(of('assistant', '<system-reminder>\nx\n</system-reminder>'), ['input turn turn-1'])
})

test('what the prompt of Codex says of files of instructions is none of them', () => {
  const instructions =
    'You are Codex.\n\n# AGENTS.md spec\n- Repos often contain AGENTS.md files.\n\n## Planning\nPlan.'
  const body = {
    instructions,
    input: [
      { role: 'user', content: '# AGENTS.md instructions for /work\n\n<INSTRUCTIONS>\nBe brief.\n</INSTRUCTIONS>' },
    ],
  }
  assert.deepEqual(
    entries('responses', body, 'codex').filter((line) => /instructions|system/.test(line)),
    ['system system-prompt system-prompt', 'system system-prompt system-prompt-2', 'preamble instructions /work'],
  )
})

test('a key of a prompt cache, which many conversations may share, names none', () => {
  const head = { method: 'POST', path: '/v1/responses', headers: {} }
  assert.equal(identifyCall(head, { input: 'Hello.', prompt_cache_key: 'tenant-1' }).session, undefined)
  const codex = { ...head, headers: { originator: 'codex_exec' } }
  assert.equal(identifyCall(codex, { input: 'Hello.', prompt_cache_key: 'thread-1' }).session, 'thread-1')
})

test('what Anthropic’s memory tool answers is memory with its path, and that of another tool is a result', () => {
  const use = (id: string, name: string, input: object) => ({ type: 'tool_use', id, name, input })
  const result = (id: string, content: string) => ({ type: 'tool_result', tool_use_id: id, content })
  const body = (type: string) => ({
    tools: [
      { type, name: 'memory' },
      { name: 'read', input_schema: { type: 'object' } },
    ],
    messages: [
      { role: 'user', content: 'What do you know of me?' },
      {
        role: 'assistant',
        content: [
          use('c1', 'memory', { command: 'view', path: '/memories' }),
          use('c2', 'memory', { command: 'create', path: '/memories/ann.md', file_text: 'Ann likes gates.' }),
          use('c3', 'read', { path: 'a.ts' }),
        ],
      },
      {
        role: 'user',
        content: [
          result('c1', 'The directory is empty.'),
          result('c2', 'File created successfully at: /memories/ann.md'),
          result('c3', 'export {}'),
        ],
      },
    ],
  })
  const results = (type: string) =>
    explainRequest({ format: 'messages', body: body(type), counter: tokenx }).manifest.entries.flatMap(
      ({ layer, id, name, slot }) => (slot === 'input' && !/call-|^turn-1$/.test(id) ? [`${layer} ${name}`] : []),
    )
  assert.deepEqual(results('memory_20250818'), ['memory /memories', 'memory /memories/ann.md', 'tool-result a.ts'])
  assert.ok(results('custom').every((entry) => entry.startsWith('tool-result')))
})

test('a file that a person named, one that is read again after a compaction and the memory are called what they are', () => {
  const reminder = (text: string) => ({ type: 'text', text: `<system-reminder>\n${text}\n</system-reminder>` })
  const read = (path: string) => [
    reminder(`Called the Read tool with the following input: {"file_path":"${path}"}`),
    reminder(`Result of calling the Read tool: "1\texport const width = 7"`),
  ]
  const instructions =
    '# claudeMd\nContents of /work/CLAUDE.md (project instructions, checked into the codebase):\n\nTests first.\n\n' +
    "Contents of /home/ann/.claude/projects/work/memory/MEMORY.md (user's auto-memory, persists across conversations):\n\nThe gate opens with seven turns."
  const body = {
    messages: [
      { role: 'user', content: [reminder(instructions), { type: 'text', text: 'Hello.' }] },
      { role: 'assistant', content: 'Yes?' },
      {
        role: 'user',
        content: [
          ...read('/work/src/gate.ts'),
          ...read('/work/src/fence.ts'),
          reminder(
            'Note: /work/src/long.ts was read before the last conversation was summarized, but it is too large.',
          ),
          reminder('Be brief.'),
          reminder('Be kind.'),
          { type: 'text', text: 'Look at @src/gate.ts and @src/fence.ts.' },
        ],
      },
    ],
  }
  const found = entries('messages', body, 'claude-code')
  assert.deepEqual(found, [
    'preamble instructions instructions',
    'preamble instructions /work/CLAUDE.md',
    'preamble memory /home/ann/.claude/projects/work/memory/MEMORY.md',
    'history turn turn-1',
    'input file turn-2//work/src/gate.ts',
    'input file turn-2//work/src/fence.ts',
    'input file turn-2//work/src/long.ts',
    'input reminder turn-2/reminder',
    'input turn turn-2',
  ])
})
