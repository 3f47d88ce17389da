import assert from 'node:assert/strict'
import test from 'node:test'
import * as fc from 'fast-check'
import { charsPerFour, outline, tokenx, type ManifestEntry } from '../../src/context.ts'
import { explainSteps, type ForeignAssembly, textCounts } from '../../src/foreign.ts'
import { explainRequest } from '../../src/foreign/explain-request.ts'
import { forAll } from '../arbitrary/for-all.ts'
import { recordedCalls } from './recorded-calls.ts'
import { type WireFormat } from '../../src/wire.ts'
import { wireFormats } from '../../src/wire/formats.ts'

const explain = (format: WireFormat, body: unknown) => explainRequest({ format, body, counter: tokenx })

const lines = ({ manifest }: ForeignAssembly, wanted: (entry: ManifestEntry) => boolean = () => true) =>
  manifest.entries.filter(wanted).map(({ slot, layer, id, name }) => [slot, layer, id, name].join(' ').trimEnd())

function assertAdds({ manifest, pieces }: ForeignAssembly): void {
  assert.equal(
    manifest.entries.reduce((sum, { tokens }) => sum + tokens, 0),
    manifest.used,
  )
  assert.equal(
    pieces.reduce((sum, { tokens }) => sum + tokens, 0),
    manifest.used,
  )
  const keys = manifest.entries.map(({ layer, id }) => `${layer} ${id}`)
  assert.equal(new Set(keys).size, keys.length)
  for (const { entry, joined = [] } of pieces)
    for (const each of [entry, ...joined.map((part) => part.entry)]) assert.ok(manifest.entries[each])
}

test('every token of a recorded call belongs to an entry, and is in a piece', () => {
  for (const name of ['claude-code-session', 'claude-code-compaction', 'codex-session', 'codex-compaction']) {
    for (const { path, body } of recordedCalls(name)) {
      assertAdds(explain(path.includes('messages') ? 'messages' : 'responses', body))
    }
  }
})

test('every token of any body belongs to an entry, whatever its shape', () => {
  const words = fc.constantFrom(
    'text',
    'tool_use',
    'tool_result',
    'thinking',
    'image',
    'message',
    'function_call',
    'function_call_output',
    'reasoning',
    'user',
    'assistant',
    'system',
    'tool',
    'model',
    'developer',
    'toString',
    '__proto__',
  )
  const keys = fc.constantFrom(
    'type',
    'role',
    'content',
    'text',
    'id',
    'name',
    'input',
    'output',
    'arguments',
    'call_id',
    'tool_use_id',
    'tool_calls',
    'function',
    'source',
    'data',
    'summary',
    'cache_control',
    'description',
    'parts',
    'functionCall',
    'function_response',
    'functionDeclarations',
    'response',
    'inlineData',
    'thoughtSignature',
    'args',
    'x',
  )
  const { value } = fc.letrec((tie) => ({
    value: fc.oneof(
      { maxDepth: 4 },
      words,
      fc.string(),
      fc.integer(),
      fc.constant(null),
      fc.boolean(),
      fc.array(tie('value'), { maxLength: 4 }),
      fc.dictionary(keys, tie('value'), { maxKeys: 5 }),
    ),
  }))
  const body = fc.oneof(
    value,
    fc.dictionary(
      fc.constantFrom(
        'tools',
        'system',
        'messages',
        'input',
        'instructions',
        'model',
        'text',
        'unknown',
        'functions',
        'contents',
        'systemInstruction',
      ),
      value,
    ),
  )
  forAll(fc.tuple(fc.constantFrom(...wireFormats), body), ([format, each]) => assertAdds(explain(format, each)))
})

test('no text of a prompt is dropped, whatever block it is in', () => {
  const mark = fc.uuid()
  const block = fc.oneof(
    mark.map((text) => ({ block: { type: 'text', text }, texts: [text] })),
    fc
      .tuple(mark, mark)
      .map(([text, more]) => ({ block: { type: 'text', text, unheard_of: { more } }, texts: [text, more] })),
    mark.map((text) => ({ block: { type: 'new_block', inner: [{ text }] }, texts: [text] })),
    fc.tuple(mark, mark).map(([id, text]) => ({
      block: { type: 'tool_result', tool_use_id: id, content: [{ type: 'odd', text }] },
      texts: [text],
    })),
    fc
      .tuple(mark, mark)
      .map(([id, text]) => ({ block: { type: 'tool_use', id, name: 'Run', input: { text } }, texts: [text] })),
    mark.map((text) => ({ block: text, texts: [text] })),
    mark.map((text) => ({ block: { type: 'image', source: { type: 'odd', text } }, texts: [text] })),
  )
  const message = fc.tuple(fc.constantFrom('user', 'assistant', 'system', 'odd'), fc.array(block, { maxLength: 4 }))
  forAll(fc.array(message, { maxLength: 5 }), (messages) => {
    const body = { messages: messages.map(([role, blocks]) => ({ role, content: blocks.map((each) => each.block) })) }
    const said = JSON.stringify(explain('messages', body).pieces)
    for (const text of messages.flatMap(([, blocks]) => blocks.flatMap(({ texts }) => texts)))
      assert.ok(said.includes(text), text)
  })
})

test('a call of Claude Code is taken apart by turn, tool and file', () => {
  const body = {
    system: [
      { type: 'text', text: 'x-anthropic-billing-header: cc_version=2.1; cch=0af1' },
      {
        type: 'text',
        text: 'You help with code.\n\n# Environment\nPlatform: linux',
        cache_control: { type: 'ephemeral', ttl: '1h' },
      },
    ],
    tools: [
      { name: 'Read', description: 'Reads a file.', input_schema: { type: 'object' } },
      { name: 'mcp__tickets__list', description: 'Lists tickets.', input_schema: { type: 'object' } },
      { name: 'Later', description: 'Found on demand.', input_schema: {}, defer_loading: true },
    ],
    messages: [
      {
        role: 'user',
        content: [
          {
            type: 'text',
            text: '<system-reminder>\nThe following skills are available:\n- review\n</system-reminder>',
          },
          {
            type: 'text',
            text: '<system-reminder>\nUse what follows.\n# claudeMd\nContents of /work/CLAUDE.md (checked in):\n\nBe brief.\n# currentDate\nToday is Monday.\n</system-reminder>',
          },
          { type: 'text', text: 'What does a.ts do?' },
        ],
      },
      { role: 'assistant', content: [{ type: 'tool_use', id: 'c1', name: 'Read', input: { file_path: 'src/a.ts' } }] },
      {
        role: 'user',
        content: [
          {
            type: 'tool_result',
            tool_use_id: 'c1',
            content: 'const a = 1\n\n<system-reminder>Take care.</system-reminder>',
          },
        ],
      },
      { role: 'assistant', content: 'It sets a.' },
      {
        role: 'user',
        content: [
          { type: 'text', text: '<system-reminder>A plan is open.</system-reminder>' },
          { type: 'text', text: 'Thanks.', cache_control: { type: 'ephemeral' } },
        ],
      },
    ],
  }
  const assembly = explain('messages', body)
  assertAdds(assembly)
  assert.deepEqual(lines(assembly), [
    'tools tool Read',
    'tools mcp-tickets mcp__tickets__list',
    'tools tool Later',
    'system billing billing',
    'system system-prompt system-prompt',
    'system environment environment',
    'preamble skills skills',
    'preamble instructions instructions',
    'preamble instructions /work/CLAUDE.md /work/CLAUDE.md',
    'preamble environment environment-2',
    'history turn turn-1',
    'history tool-call turn-1/call-c1 src/a.ts',
    'history tool-result turn-1/c1 src/a.ts',
    'history reminder turn-1/reminder',
    'input reminder turn-2/reminder',
    'input turn turn-2',
  ])
  const later = assembly.manifest.entries[2]!
  assert.equal(later.outcome, 'omitted')
  assert.equal(later.tokens, 0)
  assert.ok(later.fullTokens > 0)
  assert.deepEqual(assembly.marks, [{ piece: 3, life: '1h' }, { piece: 11 }])
  assert.match(outline(assembly.manifest), /mcp__tickets__list/)
})

test('a call of Codex is taken apart: instructions, environment, groups of tools, and the file that a command prints', () => {
  const said = (role: string, ...texts: string[]) => ({
    type: 'message',
    id: `msg_${texts[0]!.length}`,
    role,
    content: texts.map((text) => ({ type: 'input_text', text })),
  })
  const run = (id: string, cmd: string) => [
    { type: 'function_call', id: `fc_${id}`, name: 'exec_command', arguments: JSON.stringify({ cmd }), call_id: id },
    { type: 'function_call_output', id: `fco_${id}`, call_id: id, output: 'text' },
  ]
  const body = {
    instructions: 'You write code.',
    tools: [
      {
        type: 'namespace',
        name: 'mcp__tickets',
        description: 'Tickets.',
        tools: [{ type: 'function', name: 'list', parameters: {} }],
      },
      { type: 'web_search', external_web_access: true },
    ],
    input: [
      said(
        'developer',
        '<permissions instructions>\nAsk first.\n</permissions instructions>',
        '<skills_instructions>\n- review\n</skills_instructions>',
      ),
      said(
        'user',
        '# AGENTS.md instructions for /work\n\n<INSTRUCTIONS>\nBe brief.\n</INSTRUCTIONS>',
        '<environment_context>\n<cwd>/work</cwd>\n</environment_context>',
      ),
      said('user', 'Look at a.ts.'),
      ...run('c1', "sed -n '1,20p' src/a.ts"),
      ...run('c2', 'npm test'),
      {
        type: 'custom_tool_call',
        id: 'ctc_1',
        call_id: 'c3',
        name: 'apply_patch',
        input: '*** Begin Patch\n*** Update File: src/a.ts\n@@\n*** End Patch',
      },
      { type: 'custom_tool_call_output', call_id: 'c3', output: 'Done' },
    ],
    reasoning: { effort: 'low' },
    heard_of: { nothing: 1 },
  }
  const assembly = explain('responses', body)
  assertAdds(assembly)
  assert.deepEqual(lines(assembly), [
    'tools mcp-tickets mcp__tickets',
    'tools mcp-tickets mcp__tickets.list',
    'tools tool web_search',
    'system system-prompt system-prompt',
    'system permissions permissions',
    'system skills skills',
    'preamble instructions /work /work',
    'preamble environment environment',
    'input turn turn-1',
    'input tool-call turn-1/call-c1 src/a.ts',
    'input tool-result turn-1/c1 src/a.ts',
    'input tool-call turn-1/call-c2 npm test',
    'input tool-result turn-1/c2 npm test',
    'input tool-call turn-1/call-c3 src/a.ts',
    'input tool-result turn-1/c3 src/a.ts',
    'after-input other field-heard_of',
  ])
})

test('a call of Gemini is taken apart: instructions, functions, media, and results beside their calls', () => {
  const body = {
    systemInstruction: {
      role: 'user',
      parts: [{ text: 'You are careful.\n--- Context from: GEMINI.md ---\nBe brief.' }],
    },
    tools: [
      {
        functionDeclarations: [
          { name: 'read_file', description: 'Reads.', parametersJsonSchema: { type: 'object' } },
          { name: 'list', parameters: { type: 'OBJECT' } },
        ],
      },
      { googleSearch: {} },
    ],
    generationConfig: { temperature: 1, responseSchema: { type: 'OBJECT' } },
    cachedContent: 'cachedContents/c1',
    contents: [
      { role: 'user', parts: [{ text: 'Look.' }, { inlineData: { mimeType: 'image/png', data: 'AAAA' } }] },
      {
        role: 'model',
        parts: [
          { text: 'A file.', thought: true },
          { functionCall: { name: 'read_file', args: { file_path: 'a.ts' } }, thoughtSignature: 'c2lnbmF0dXJl' },
          { functionCall: { name: 'read_file', args: { file_path: 'b.ts' } } },
        ],
      },
      {
        role: 'user',
        parts: [
          { functionResponse: { name: 'read_file', response: { output: 'const a = 1' } } },
          { function_response: { name: 'read_file', response: { error: 'there is none' } } },
        ],
      },
      { role: 'model', parts: [{ executableCode: { language: 'PYTHON', code: 'print(1)' } }] },
      { parts: [{ text: 'Thanks.' }] },
    ],
  }
  const assembly = explain('generate-content', body)
  assertAdds(assembly)
  assert.deepEqual(lines(assembly), [
    'tools tool read_file',
    'tools tool list',
    'tools tool googleSearch',
    'system answer-format answer-format',
    'system system-prompt system-prompt',
    'system instructions GEMINI.md GEMINI.md',
    'history turn turn-1',
    'history image turn-1/image',
    'history reasoning turn-1/reasoning',
    'history tool-call turn-1/call-read_file-1 a.ts',
    'history tool-call turn-1/call-read_file-2 b.ts',
    'history tool-result turn-1/read_file-1 a.ts',
    'history tool-result turn-1/read_file-2 b.ts',
    'history other turn-1/other',
    'input turn turn-2',
    'after-input other field-cachedContent',
  ])
  const said = assembly.pieces.map(({ content }) => JSON.stringify(content)).join()
  for (const text of ['const a = 1', 'there is none', 'print(1)', 'cachedContents/c1'])
    assert.ok(said.includes(text), text)
  assert.equal(explain('generate-content', { generateContentRequest: body }).manifest.used > 60, true)
})

test('a text of Chat Completions that several parts share is told apart: opencode puts all into one system message', () => {
  const body = {
    tools: [{ type: 'function', function: { name: 'read', description: 'Reads.', parameters: { type: 'object' } } }],
    messages: [
      {
        role: 'system',
        content: 'You are careful.\n<env>\n  Platform: linux\n</env>\nInstructions from: /work/AGENTS.md\nBe brief.\n',
      },
      {
        role: 'user',
        content: [
          { type: 'text', text: 'Read it.' },
          { type: 'image_url', image_url: { url: 'data:image/png;base64,AAAA' } },
        ],
      },
      {
        role: 'assistant',
        content: null,
        reasoning_content: 'A file.',
        tool_calls: [{ id: 'c1', type: 'function', function: { name: 'read', arguments: '{"filePath":"b.ts"}' } }],
      },
      { role: 'tool', tool_call_id: 'c1', content: 'const b = 2' },
    ],
  }
  const assembly = explain('chat-completions', body)
  assertAdds(assembly)
  assert.deepEqual(lines(assembly), [
    'tools tool read',
    'system system-prompt system-prompt',
    'system environment environment',
    'system instructions /work/AGENTS.md /work/AGENTS.md',
    'input turn turn-1',
    'input image turn-1/image',
    'input reasoning turn-1/reasoning',
    'input tool-call turn-1/call-c1 b.ts',
    'input tool-result turn-1/c1 b.ts',
  ])
  assert.equal(assembly.pieces[1]!.joined?.map(({ text }) => text).join(''), body.messages[0]!.content)
})

test('keys in a command are not shown as its name', () => {
  const call = {
    type: 'tool_use',
    id: 'c1',
    name: 'Bash',
    input: { command: 'curl -H "Authorization: Bearer abcdefgh12345678" https://example.com' },
  }
  const [entry] = explain('messages', { messages: [{ role: 'assistant', content: [call] }] }).manifest.entries
  assert.equal(entry!.name, 'curl -H "Authorization: [key]" https://example.com')
})

test('a text that comes back in the next call is counted once', () => {
  let counted = 0
  const counter = {
    ...charsPerFour,
    id: 'watched',
    text: (text: string) => ((counted += text.length), charsPerFour.text(text)),
  }
  const counts = textCounts()
  const body = { messages: [{ role: 'user', content: 'word '.repeat(10_000) }] }
  const first = explainRequest({ format: 'messages', body, counter, counts })
  const before = counted
  const second = explainRequest({ format: 'messages', body: structuredClone(body), counter, counts })
  assert.deepEqual(second.manifest, first.manifest)
  assert.equal(counted, before)
})

test('a large body is taken apart in steps: a caller that stops has blocked nobody', () => {
  const messages = Array.from({ length: 50 }, (_, index) => ({
    role: index % 2 ? 'assistant' : 'user',
    content: `word${index} `.repeat(20_000),
  }))
  let steps = 0
  for (const _ of explainSteps({ format: 'messages', body: { messages }, counter: tokenx })) steps += 1
  assert.ok(steps > 500, `${steps} steps`)
})

test('a text of sections without an end is no more work than one of words', () => {
  const text = '<system-reminder>\n'.repeat(100_000)
  const { manifest } = explain('messages', { messages: [{ role: 'user', content: text }] })
  assert.deepEqual(
    manifest.entries.map(({ layer }) => layer),
    ['turn'],
  )
})

test('what is nested more deeply than any serializer goes is read, and can be kept', () => {
  const deep: unknown = JSON.parse(`${'['.repeat(200_000)}"bottom"${']'.repeat(200_000)}`)
  for (const body of [
    { messages: [{ role: 'user', content: [deep] }], tools: [{ name: 'a', input_schema: { deep } }], unknown: deep },
    { messages: [{ role: 'assistant', content: [{ type: 'tool_use', id: 'c', name: 'a', input: { deep } }] }] },
    { messages: [{ role: 'user', content: [{ type: 'tool_result', tool_use_id: 'c', content: [deep] }] }] },
  ]) {
    const assembly = explain('messages', body)
    assertAdds(assembly)
    assert.match(JSON.stringify(assembly), /bottom/)
  }
})

test('the wrapper of a message and of a tool is counted once, however many blocks and sections it has', () => {
  const counter = { ...charsPerFour, id: 'wrappers', text: () => 0, perMessage: 1 }
  const text = '<system-reminder>\na\n</system-reminder>\nb\n<system-reminder>\nc\n</system-reminder>'
  const messages = [
    {
      role: 'user',
      content: [
        { type: 'text', text },
        { type: 'text', text: 'd' },
      ],
    },
    { role: 'assistant', content: 'e' },
  ]
  const body = { tools: [{ name: 'a' }, { name: 'b' }], system: 'f', messages }
  assert.equal(explainRequest({ format: 'messages', body, counter }).manifest.used, 5)
})

test('no text of an item of Responses or of a message of Chat Completions is dropped, whatever it is in', () => {
  const mark = fc.uuid()
  const part = (type: string) => mark.map((text) => ({ value: { type, text }, texts: [text] }))
  const odd = mark.map((text) => ({ value: { type: 'new_part', inner: { text } }, texts: [text] }))
  const parts = fc.array(fc.oneof(part('input_text'), part('text'), part('output_text'), odd), { maxLength: 3 })
  const texts = (list: readonly { readonly texts: readonly string[] }[]) => list.flatMap((each) => each.texts)
  const said = fc.tuple(fc.constantFrom('user', 'assistant', 'system', 'developer', 'tool', 'odd'), parts, mark, mark)
  const item = fc.oneof(
    said.map(([role, list]) => ({
      value: { type: 'message', role, content: list.map((each) => each.value) },
      texts: texts(list),
    })),
    mark.map((text) => ({
      value: { type: 'function_call', call_id: 'c', name: 'a', arguments: JSON.stringify({ text }) },
      texts: [text],
    })),
    parts.map((list) => ({
      value: { type: 'function_call_output', call_id: 'c', output: list.map((each) => each.value) },
      texts: texts(list),
    })),
    mark.map((text) => ({
      value: { type: 'reasoning', summary: [{ type: 'summary_text', text }], encrypted_content: 'AAAA' },
      texts: [text],
    })),
    mark.map((text) => ({ value: { type: 'new_item', text }, texts: [text] })),
  )
  const message = said.map(([role, list, call, more]) => ({
    value: {
      role,
      content: list.map((each) => each.value),
      tool_call_id: 'c',
      tool_calls: [{ id: 'c', type: 'function', function: { name: 'a', arguments: JSON.stringify({ call }) } }],
      unheard_of: more,
    },
    texts: [...texts(list), call, more],
  }))
  const holds = (format: WireFormat, body: unknown, wanted: readonly string[]) => {
    const all = JSON.stringify(explain(format, body).pieces)
    for (const text of wanted) assert.ok(all.includes(text), text)
  }
  forAll(fc.array(item, { maxLength: 5 }), (list) =>
    holds('responses', { input: list.map(({ value }) => value) }, texts(list)),
  )
  forAll(fc.array(message, { maxLength: 5 }), (list) =>
    holds('chat-completions', { messages: list.map(({ value }) => value) }, texts(list)),
  )
})

test('entries of one name have ids of their own, also where another has the name that one of them would get', () => {
  const names = ['a', 'a', 'a-2', 'a', 'a-2']
  const assembly = explain('messages', { tools: names.map((name) => ({ name })) })
  assertAdds(assembly)
  assert.deepEqual(lines(assembly), [
    'tools tool a',
    'tools tool a-2',
    'tools tool a-2-2',
    'tools tool a-3',
    'tools tool a-2-3',
  ])
})

test('a model reads the texts of a request for embeddings, and nothing else of it', () => {
  const said = { model: 'm', encoding_format: 'float', dimensions: 256 }
  const one = explain('embeddings', { ...said, input: 'One text.' })
  const other = explain('embeddings', { ...said, input: 'Another text.' })
  const both = explain('embeddings', { ...said, input: ['One text.', 'Another text.'] })
  assert.equal(both.manifest.used, one.manifest.used + other.manifest.used)
  assert.deepEqual(lines(both), ['input turn turn-1'])
  assert.deepEqual(
    both.pieces.map(({ tokens }) => tokens),
    [one.manifest.used, other.manifest.used],
  )
  assert.equal(explain('embeddings', { ...said, input: [1, 2, 3] }).manifest.entries.length, 1)
})
