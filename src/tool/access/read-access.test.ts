import assert from 'node:assert/strict'
import { mkdtemp, rename, rm, symlink, utimes, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import test, { type TestContext } from 'node:test'
import type { TextRead, TextReader } from '../text-reader.ts'
import { accessAnswer, toolLimits } from './access-answer.ts'
import type { Access } from './access.ts'
import { accessFile, readAccess } from './read-access.ts'

const DEFAULTS: Access = {
  global: { enabled: true, mode: 'allowlist', allowedTools: [] },
  sandbox: { enabled: true, withoutIt: 'ask', network: [], readable: [], writable: [], memoryMiB: 4096 },
  tools: {},
  shell: {
    enabled: false,
    mode: 'allowlist',
    approval: 'never',
    presets: [],
    allowedPrefixes: [],
    timeoutMs: 15_000,
    maxOutputChars: 20_000,
    allowAnyCwd: false,
  },
}

for (const [what, text] of [
  ['no file', undefined],
  ['an empty file', ''],
  ['a blank file', ' \n\t'],
  ['a byte order mark alone', '\uFEFF'],
  ['comments alone', '// nothing yet\n/* nor here */'],
  ['an empty object', '{}'],
  ['empty objects', '{"global": {}, "tools": {"shell": {}}}'],
  [
    'nothing but comments by their keys',
    '{"_help": "x", "_help": 5, "global": {"_mode": "off", "_": []}, "tools": {"_note": 1, "__proto__": {"enabled": 1}}}',
  ],
  ['the place of the schema', '{"$schema": "./tool-access.schema.json"}'],
] as const) {
  test(`${what} is all defaults`, () => {
    assert.deepEqual(accessOf(text), DEFAULTS)
  })
}

test('partial objects merge with the defaults', () => {
  const text = `{
    // what holds for all
    "global": {"mode": "full"},
    "tools": {
      "read_file": {"approval": "ask", "timeoutMs": 500, "maxShownChars": 4000},
      "web": {"enabled": false},
      "shell": {"enabled": true, "allowedPrefixes": ["git status", "ls"],},
    }
  }`
  assert.deepEqual(accessOf(text), {
    ...DEFAULTS,
    global: { ...DEFAULTS.global, mode: 'full' },
    tools: {
      read_file: { approval: 'ask', timeoutMs: 500, maxShownChars: 4000 },
      web: { enabled: false },
    },
    shell: { ...DEFAULTS.shell, enabled: true, allowedPrefixes: ['git status', 'ls'] },
  })
})

test('a tool has each setting from the most exact name that says something of it', () => {
  const text = `{
    "_help": { "what": "Which tools may run.", "tools": ["x"] },
    "tools": {
      "_read": "the readers",
      "*": { "_why": "careful", "approval": "ask", "timeoutMs": 1 },
      "read_*": { "enabled": false, "timeoutMs": 2 },
      "read_file": { "enabled": true },
      "shell": { "_": 1, "enabled": true }
    }
  }`
  const read = readAccess(text, {})
  const { tools, shell } = accessOf(text)
  assert.deepEqual(Object.keys(tools), ['*', 'read_*', 'read_file'])
  assert.deepEqual([shell.enabled, shell.approval, shell.timeoutMs], [true, 'ask', 15_000])
  const full = readAccess(text.replace('"tools": {', '"global": {"mode": "full"}, "tools": {'), {})
  assert.deepEqual(
    ['read_file', 'read_result', 'web', 'shell'].map((name) => {
      const { type, rule } = accessAnswer(full, { name })
      return [name, type, rule, toolLimits(read, name).timeoutMs]
    }),
    [
      ['read_file', 'ask', 'tools.*.approval', 2],
      ['read_result', 'refuse', 'tools.read_*.enabled', 2],
      ['web', 'ask', 'tools.*.approval', 1],
      ['shell', 'ask', 'tools.*.approval', undefined],
    ],
  )
})

test('every setting of the file arrives', () => {
  const shell = {
    enabled: true,
    mode: 'full',
    approval: 'ask',
    presets: ['git-read', 'search'],
    allowedPrefixes: ['git log'],
    timeoutMs: 1,
    maxOutputChars: 2,
    allowAnyCwd: true,
  }
  const global = { enabled: false, mode: 'off', allowedTools: ['a', 'b_*', '*'] }
  const sandbox = {
    enabled: false,
    withoutIt: 'refuse',
    network: ['npm ci'],
    readable: ['/srv/models', '~/.config/tool'],
    writable: ['/srv/out'],
    memoryMiB: 512,
  }
  const text = JSON.stringify({ global, sandbox, tools: { shell } })
  assert.deepEqual(accessOf(text), { global, sandbox, tools: {}, shell })
})

for (const [setting, asked, given] of [
  ['timeoutMs', 120_000, 120_000],
  ['timeoutMs', 120_001, 120_000],
  ['timeoutMs', Number.MAX_SAFE_INTEGER, 120_000],
  ['maxOutputChars', 200_000, 200_000],
  ['maxOutputChars', 200_001, 200_000],
] as const) {
  test(`shell.${setting} ${asked} counts as ${given}`, () => {
    assert.equal(accessOf(`{"tools": {"shell": {"${setting}": ${asked}}}}`).shell[setting], given)
  })
}

for (const [text, ...problems] of [
  ['{"globl": {}}', 'line 1: globl is not a known key (known keys: $schema, global, sandbox, tools)'],
  [
    '{"global": {"allowed": []}}',
    'line 1: global.allowed is not a known key (known keys: enabled, mode, allowedTools, afterUntrusted)',
  ],
  [
    '{"tools": {\n"a": {\n"mode": "full"}}}',
    'line 3: tools.a.mode is not a known key (known keys: enabled, approval, afterUntrusted, timeoutMs, maxShownChars)',
  ],
  [
    '{"tools": {"shell": {"allowedTools": []}}}',
    'line 1: tools.shell.allowedTools is not a known key (known keys: enabled, mode, approval, afterUntrusted, presets, allowedPrefixes, timeoutMs, maxOutputChars, allowAnyCwd)',
  ],
  ['{\n"global": {\n"mode": "ful"}}', 'line 3: global.mode must be one of off, allowlist, full'],
  ['{"sandbox": {"readable": ["models"]}}', 'line 1: sandbox.readable[0] must be an absolute path, or begin with ~/'],
  ['{"sandbox": {"withoutIt": "never"}}', 'line 1: sandbox.withoutIt must be one of ask, run, refuse'],
  ['{"global": {"mode": "FULL"}}', 'line 1: global.mode must be one of off, allowlist, full'],
  ['{"global": {"mode": null}}', 'line 1: global.mode must be one of off, allowlist, full'],
  ['{"tools": {"shell": {"mode": "on"}}}', 'line 1: tools.shell.mode must be one of off, allowlist, full'],
  ['{"tools": {"a": {"approval": "always"}}}', 'line 1: tools.a.approval must be one of ask, never'],
  ['{"global": {"enabled": "true"}}', 'line 1: global.enabled must be true or false'],
  ['{"global": {"enabled": 1}}', 'line 1: global.enabled must be true or false'],
  ['{"tools": {"a": {"enabled": null}}}', 'line 1: tools.a.enabled must be true or false'],
  ['{"tools": {"shell": {"timeoutMs": "5"}}}', 'line 1: tools.shell.timeoutMs must be a whole number above 0'],
  ['{"tools": {"shell": {"timeoutMs": 0}}}', 'line 1: tools.shell.timeoutMs must be a whole number above 0'],
  ['{"tools": {"shell": {"timeoutMs": 1.5}}}', 'line 1: tools.shell.timeoutMs must be a whole number above 0'],
  ['{"tools": {"shell": {"timeoutMs": 1e999}}}', 'line 1: tools.shell.timeoutMs must be a whole number above 0'],
  ['{"tools": {"a": {"maxShownChars": -1}}}', 'line 1: tools.a.maxShownChars must be a whole number above 0'],
  ['{"global": {"allowedTools": "a"}}', 'line 1: global.allowedTools must be a list'],
  ['{"global": {"allowedTools": ["a", 5]}}', 'line 1: global.allowedTools[1] must be a string'],
  ['{"global": {"allowedTools": [" "]}}', 'line 1: global.allowedTools[0] must not be blank'],
  ['{"global": {"allowedTools": ["a*b"]}}', 'line 1: global.allowedTools[0] may contain * only at its end'],
  ['{"tools": {"shell": {"allowedPrefixes": ["ls", ""]}}}', 'line 1: tools.shell.allowedPrefixes[1] must not be blank'],
  [
    '{"tools": {"shell": {"presets": ["git-reed"]}}}',
    'line 1: tools.shell.presets[0] is not a preset; did you mean git-read? (presets: files-read, search, git-read, git-write, node-test, python-test)',
  ],
  ['{"tools": {"shell": {"presets": "git-read"}}}', 'line 1: tools.shell.presets must be a list'],
  ['{"$schema": 5}', 'line 1: $schema must be a string'],
  ['{"global": []}', 'line 1: global must be an object'],
  ['{"tools": null}', 'line 1: tools must be an object'],
  ['{"tools": {"a": true}}', 'line 1: tools.a must be an object'],
  ['[]', 'line 1: the file must contain an object'],
  ['"full"', 'line 1: the file must contain an object'],
  ['{"global": {"mode": "off",\n"mode": "full"}}', 'line 2: global.mode appears a second time: remove one of the two'],
  ['{"tools": {"a": {}},\n"tools": {}}', 'line 2: tools appears a second time: remove one of the two'],
  ['{"tools": {"constructor": {"enabled": 1}}}', 'line 1: tools.constructor.enabled must be true or false'],
  ['{"constructor": {}}', 'line 1: constructor is not a known key (known keys: $schema, global, sandbox, tools)'],
  ['{"tools": {"read_*_x": {}}}', 'line 1: tools.read_*_x may contain * only at its end'],
  [
    '{"global": {"constructor": {}}}',
    'line 1: global.constructor is not a known key (known keys: enabled, mode, allowedTools, afterUntrusted)',
  ],
  ['{\n"global": {', 'line 2: this is not JSON: close brace expected'],
  ['{global: {}}', 'line 1: this is not JSON: invalid symbol'],
  ['{} {}', 'line 1: this is not JSON: end of file expected'],
  ['['.repeat(200_000), 'it cannot be read: it is nested too deeply'],
  [
    '{"global": {"mode": "x"},\n"tool": {}}',
    'line 1: global.mode must be one of off, allowlist, full',
    'line 2: tool is not a known key (known keys: $schema, global, sandbox, tools)',
  ],
] as const) {
  test(`nothing is allowed by ${text.slice(0, 70).replaceAll('\n', ' ')}`, () => {
    assert.deepEqual(readAccess(text, {}), { type: 'faulty', problems })
  })
}

for (const [environment, shell] of [
  [{ SHELL_TOOL_ENABLED: 'true' }, { enabled: true, entry: 'SHELL_TOOL_ENABLED' }],
  [{ SHELL_TOOL_ENABLED: '1' }, { enabled: true, entry: 'SHELL_TOOL_ENABLED' }],
  [{ SHELL_TOOL_ENABLED: 'False' }, { enabled: false }],
  [{ SHELL_TOOL_ENABLED: '0' }, { enabled: false }],
  [{ SHELL_TOOL_MODE: 'off' }, { mode: 'off' }],
  [{ SHELL_TOOL_MODE: 'allowlist' }, { mode: 'allowlist' }],
  [{ SHELL_TOOL_MODE: ' full ' }, { mode: 'full' }],
  [{ SHELL_TOOL_TIMEOUT_MS: '700' }, { timeoutMs: 700 }],
  [{ SHELL_TOOL_TIMEOUT_MS: '999999' }, { timeoutMs: 120_000 }],
  [{ SHELL_TOOL_MAX_OUTPUT_CHARS: '800' }, { maxOutputChars: 800 }],
  [{ SHELL_TOOL_MAX_OUTPUT_CHARS: '999999' }, { maxOutputChars: 200_000 }],
  [{ SHELL_TOOL_ALLOWED_PREFIXES: 'git status, ls ,,' }, { allowedPrefixes: ['git status', 'ls'] }],
  [{ SHELL_TOOL_PRESETS: 'git-read, files-read' }, { presets: ['git-read', 'files-read'] }],
  [{ SHELL_TOOL_MODE: '' }, {}],
  [{ SHELL_TOOL_OTHER: 'x' }, {}],
] as const) {
  test(`the environment has the last word: ${JSON.stringify(environment)}`, () => {
    const file = { enabled: true, mode: 'allowlist', timeoutMs: 5, maxOutputChars: 6, allowedPrefixes: ['pwd'] }
    const access = accessOf(JSON.stringify({ tools: { shell: file } }), environment)
    assert.deepEqual(access.shell, { ...DEFAULTS.shell, ...file, ...shell })
  })
}

for (const [variable, value, fault] of [
  ['SHELL_TOOL_ENABLED', 'yes', 'must be true or false'],
  ['SHELL_TOOL_MODE', 'FULL', 'must be one of off, allowlist, full'],
  ['SHELL_TOOL_TIMEOUT_MS', '5s', 'must be a whole number above 0'],
  ['SHELL_TOOL_TIMEOUT_MS', '0', 'must be a whole number above 0'],
  ['SHELL_TOOL_TIMEOUT_MS', '-1', 'must be a whole number above 0'],
  ['SHELL_TOOL_MAX_OUTPUT_CHARS', '1e3', 'must be a whole number above 0'],
] as const) {
  test(`nothing is allowed while ${variable} is ${value}`, () => {
    assert.deepEqual(readAccess(undefined, { [variable]: value }), {
      type: 'faulty',
      problems: [`${variable} ${fault}`],
    })
  })
}

test('problems of the file and of the environment are reported together, without values', () => {
  const read = readAccess('{"global": {"mode": "hunter2"}}', { SHELL_TOOL_MODE: 'hunter3' })
  assert.equal(read.type, 'faulty')
  assert.doesNotMatch(JSON.stringify(read), /hunter/)
  assert.equal(read.type === 'faulty' && read.problems.length, 2)
})

test('of very many problems only some are listed', () => {
  const keys = Array.from({ length: 20_000 }, (_, index) => `"key${index}": 1`)
  const read = readAccess(`{${keys.join(',\n')}}`, {})
  assert.equal(read.type === 'faulty' && read.problems.length, 50)
})

function accessOf(text: string | undefined, environment = {}): Access {
  const read = readAccess(text, environment)
  assert.equal(read.type, 'access', JSON.stringify(read))
  return read.access
}

test('a missing file is all defaults, and a change is seen at the next look', async (context) => {
  const path = await place(context)
  const file = accessFile([path], {}, reader())
  assert.equal(await modeOf(file), 'allowlist')
  await writeFile(path, '{"global": {"mode": "full"}}')
  assert.equal(await modeOf(file), 'full')
  await writeFile(path, '{"global": {"mode": "off"}}')
  assert.equal(await modeOf(file), 'off')
  await writeFile(path, '{"global": {"mode":')
  assert.equal(await modeOf(file), 'faulty')
  await rm(path)
  assert.equal(await modeOf(file), 'allowlist')
})

test('a file that was put in its place with the same size and time is seen', async (context) => {
  const path = await place(context)
  const time = new Date('2026-01-02T03:04:05Z')
  await writeFile(path, '{"global": {"enabled": true, "mode": "full"}} ')
  await utimes(path, time, time)
  const file = accessFile([path], {}, reader())
  assert.equal(await modeOf(file), 'full')
  await writeFile(`${path}.new`, '{"global": {"enabled": true, "mode": "off"}}  ')
  await utimes(`${path}.new`, time, time)
  await rename(`${path}.new`, path)
  assert.equal(await modeOf(file), 'off')
})

test('what a link points to is what counts', async (context) => {
  const path = await place(context)
  await writeFile(`${path}.real`, '{"global": {"mode": "full"}}')
  await symlink(`${path}.real`, path)
  const file = accessFile([path], {}, reader())
  assert.equal(await modeOf(file), 'full')
  await writeFile(`${path}.real`, '{"global": {"mode": "off"}}')
  assert.equal(await modeOf(file), 'off')
})

test('an edit of equal length in place counts, whatever the times of the file say', async (context) => {
  const path = await place(context)
  const time = new Date('2026-01-02T03:04:05Z')
  const file = accessFile([path], {}, reader())
  // Often, since two edits within one tick of the clock leave even the time of the change as it was.
  for (let round = 0; round < 50; round++) {
    for (const mode of ['full', 'off']) {
      await writeFile(path, `{"global": {"mode": "${mode}"}}`.padEnd(40))
      await utimes(path, time, time)
      assert.equal(await modeOf(file), mode)
    }
  }
})

test('the same text is the same policy, and is not taken apart again', async (context) => {
  const path = await place(context)
  const file = accessFile([path], {}, reader())
  for (const text of [undefined, '{"global": {"mode": "full"}}', '{"global": {"mode": ']) {
    if (text !== undefined) await writeFile(path, text)
    assert.equal(await file.current(), await file.current())
  }
})

test('of several places the first that is there counts, also where it cannot be read', async (context) => {
  const path = await place(context)
  const file = accessFile([path, `${path}.other`], {}, reader())
  await writeFile(`${path}.other`, '{"global": {"mode": "full"}}')
  assert.equal(await modeOf(file), 'full')
  await writeFile(path, '{}')
  assert.equal(await modeOf(file), 'allowlist')
  await rm(path)
  assert.equal(await modeOf(file), 'full')
  const looks: string[] = []
  const locked = accessFile([path, `${path}.other`], {}, async (asked) => {
    looks.push(asked)
    return { type: 'unreadable', why: 'it may not be read (permissions)' }
  })
  assert.equal(await modeOf(locked), 'faulty')
  assert.deepEqual(looks, [path])
})

test('a file that cannot be read allows nothing and says why', async (context) => {
  const path = await place(context)
  const file = accessFile([path], {}, async () => ({ type: 'unreadable', why: 'it is a pipe or a device, not a file' }))
  assert.deepEqual(await file.current(), {
    type: 'faulty',
    problems: ['it cannot be read: it is a pipe or a device, not a file'],
  })
})

test('the environment overrides the file', async (context) => {
  const path = await place(context)
  await writeFile(path, '{"tools": {"shell": {"timeoutMs": 5}}}')
  const read = await accessFile([path], { SHELL_TOOL_TIMEOUT_MS: '7' }, reader()).current()
  assert.equal(read.type === 'access' && read.access.shell.timeoutMs, 7)
  assert.equal(await modeOf(accessFile([path], { SHELL_TOOL_MODE: 'x' }, reader())), 'faulty')
})

async function place(context: TestContext): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'foreword-access-'))
  context.after(() => rm(folder, { recursive: true }))
  return join(folder, 'tool-access.json')
}

async function modeOf(file: ReturnType<typeof accessFile>): Promise<string> {
  const read = await file.current()
  return read.type === 'faulty' ? 'faulty' : read.access.global.mode
}

function reader(): TextReader {
  return async (path): Promise<TextRead> => {
    const { readFile } = await import('node:fs/promises')
    try {
      return { type: 'text', text: await readFile(path, 'utf8') }
    } catch {
      return { type: 'missing' }
    }
  }
}
