import assert from 'node:assert/strict'
import test from 'node:test'
import type { GateAnswer } from '../toolbox.ts'
import { accessAnswer, commandAnswer, toolLimits } from './access-answer.ts'
import { readAccess } from './read-access.ts'

type Asked = Parameters<typeof accessAnswer>[1]

const web: Asked = { name: 'web' }
const shell: Asked = { name: 'shell' }
const writing: Asked = { name: 'write_file', approval: 'ask' }
const reading: Asked = { name: 'read_skill', readsContext: true }
const on = { enabled: true }

for (const [what, written, tool, answer] of [
  ['nothing said', {}, web, refused('global.allowedTools', 'Tool is not in allowlist: web')],
  ['nothing said', {}, shell, refused('global.allowedTools', 'Tool is not in allowlist: shell')],
  ['nothing said', {}, reading, allowed('reads-context')],
  ['named', { global: { allowedTools: ['web'] } }, web, allowed('global.allowedTools')],
  ['named', { global: { allowedTools: ['read_skill'] } }, reading, allowed('global.allowedTools')],
  [
    'half named',
    { global: { allowedTools: ['we', 'webs'] } },
    web,
    refused('global.allowedTools', 'Tool is not in allowlist: web'),
  ],
  [
    'in other letters',
    { global: { allowedTools: ['Web'] } },
    web,
    refused('global.allowedTools', 'Tool is not in allowlist: web'),
  ],
  ['by its beginning', { global: { allowedTools: ['w*'] } }, web, allowed('global.allowedTools')],
  ['by its whole name and *', { global: { allowedTools: ['web*'] } }, web, allowed('global.allowedTools')],
  [
    'by another beginning',
    { global: { allowedTools: ['files__*'] } },
    web,
    refused('global.allowedTools', 'Tool is not in allowlist: web'),
  ],
  ['everything by *', { global: { allowedTools: ['*'] } }, web, allowed('global.allowedTools')],
  ['full', { global: { mode: 'full' } }, web, allowed('global.mode')],
  ['full', { global: { mode: 'full' } }, reading, allowed('global.mode')],

  // The order of the refusals: each of these would be refused for everything that follows, too.
  [
    'all that can forbid',
    { global: { enabled: false, mode: 'off' }, tools: { web: { enabled: false } } },
    web,
    refused('global.enabled', 'Tools are disabled (enabled=false).'),
  ],
  [
    'all but enabled',
    { global: { mode: 'off' }, tools: { web: { enabled: false } } },
    web,
    refused('global.mode', 'Tools are disabled (mode=off).'),
  ],
  [
    'not named and disabled',
    { tools: { web: { enabled: false } } },
    web,
    refused('global.allowedTools', 'Tool is not in allowlist: web'),
  ],
  [
    'named and disabled',
    { global: { allowedTools: ['web'] }, tools: { web: { enabled: false } } },
    web,
    refused('tools.web.enabled', 'Tool disabled in config: web'),
  ],
  [
    'full and disabled',
    { global: { mode: 'full' }, tools: { web: { enabled: false } } },
    web,
    refused('tools.web.enabled', 'Tool disabled in config: web'),
  ],

  // What only reads the session need not be named; everything else holds for it as for others.
  ['off', { global: { enabled: false } }, reading, refused('global.enabled', 'Tools are disabled (enabled=false).')],
  ['off', { global: { mode: 'off' } }, reading, refused('global.mode', 'Tools are disabled (mode=off).')],
  [
    'disabled',
    { tools: { read_skill: { enabled: false } } },
    reading,
    refused('tools.read_skill.enabled', 'Tool disabled in config: read_skill'),
  ],

  // The shell has to be switched on as well.
  ['full', { global: { mode: 'full' } }, shell, refused('tools.shell.enabled', 'Tool disabled in config: shell')],
  [
    'named',
    { global: { allowedTools: ['shell'] } },
    shell,
    refused('tools.shell.enabled', 'Tool disabled in config: shell'),
  ],
  [
    'on but not named',
    { tools: { shell: on } },
    shell,
    refused('global.allowedTools', 'Tool is not in allowlist: shell'),
  ],
  [
    'on and named',
    { global: { allowedTools: ['shell'] }, tools: { shell: on } },
    shell,
    allowed('global.allowedTools'),
  ],
  [
    'on with mode off',
    { global: { mode: 'full' }, tools: { shell: { ...on, mode: 'off' } } },
    shell,
    refused('tools.shell.mode', 'Tool disabled in config: shell'),
  ],

  // Approval.
  ['a tool that asks', { global: { mode: 'full' } }, writing, asking('approval')],
  [
    'a tool that asks, trusted',
    { global: { mode: 'full' }, tools: { write_file: { approval: 'never' } } },
    writing,
    allowed('global.mode'),
  ],
  [
    'a tool that does not ask, made to',
    { global: { allowedTools: ['web'] }, tools: { web: { approval: 'ask' } } },
    web,
    asking('tools.web.approval'),
  ],
  [
    'the shell made to ask',
    { global: { mode: 'full' }, tools: { shell: { ...on, approval: 'ask' } } },
    shell,
    asking('tools.shell.approval'),
  ],
  [
    'refused before it is asked about',
    { tools: { write_file: { approval: 'ask' } } },
    writing,
    refused('global.allowedTools', 'Tool is not in allowlist: write_file'),
  ],
] as const) {
  test(`${tool.name}, ${what}: ${'reason' in answer ? answer.reason : `${answer.type} by ${answer.rule}`}`, () => {
    assert.deepEqual(accessAnswer(readAccess(JSON.stringify(written), {}), tool), answer)
  })
}

for (const tool of [web, shell, reading, writing]) {
  test(`a faulty policy refuses ${tool.name} and names the fault`, () => {
    assert.deepEqual(
      accessAnswer(readAccess('{"global": {"mode": "ful"}, "extra": 1}', {}), tool),
      refused(
        'tool-access.json',
        'Tools are disabled (tool-access.json is faulty: line 1: global.mode must be one of off, allowlist, full)',
      ),
    )
  })
}

for (const name of ['constructor', 'valueOf', 'toString']) {
  test(`a tool named ${name} is a tool like others`, () => {
    const full = readAccess('{"global": {"mode": "full"}}', {})
    assert.deepEqual(accessAnswer(full, { name }), allowed('global.mode'))
    const disabled = readAccess(`{"global": {"mode": "full"}, "tools": {"${name}": {"enabled": false}}}`, {})
    assert.deepEqual(
      accessAnswer(disabled, { name }),
      refused(`tools.${name}.enabled`, `Tool disabled in config: ${name}`),
    )
    assert.deepEqual(toolLimits(full, name), {})
  })
}

test('limits of a tool are those that were set', () => {
  const read = readAccess('{"tools": {"web": {"timeoutMs": 5, "maxShownChars": 6}, "shell": {"timeoutMs": 7}}}', {})
  assert.deepEqual(toolLimits(read, 'web'), { timeoutMs: 5, maxShownChars: 6 })
  assert.deepEqual(toolLimits(read, 'other'), {})
  assert.deepEqual(toolLimits(read, 'shell'), {})
  assert.deepEqual(toolLimits({ type: 'faulty', problems: ['x'] }, 'web'), {})
})

function allowed(rule: string): GateAnswer {
  return { type: 'allow', rule }
}

function asking(rule: string): GateAnswer {
  return { type: 'ask', rule }
}

function refused(rule: string, reason: string): GateAnswer {
  return { type: 'refuse', rule, reason }
}

const answer = (settings: object, command: string) => {
  const written = { global: { allowedTools: ['shell'] }, tools: { shell: { enabled: true, ...settings } } }
  const { type, rule } = commandAnswer(readAccess(JSON.stringify(written), {}), command)
  return `${type} ${rule}`
}

for (const [command, settings, expected] of [
  ['git status -s', { allowedPrefixes: ['ls', 'git status'] }, 'allow tools.shell.allowedPrefixes "git status"'],
  ['git stash', { allowedPrefixes: ['git status'] }, 'refuse tools.shell.allowedPrefixes'],
  ['ls | sh', { allowedPrefixes: ['ls'] }, 'refuse tools.shell.mode'],
  ['ls | sh', { mode: 'full' }, 'allow tools.shell.mode'],
  ['ls', { allowedPrefixes: ['ls'], approval: 'ask' }, 'ask tools.shell.approval'],
  ['git log -5', { presets: ['git-read'] }, 'allow tools.shell.presets "git-read"'],
  ['git log --output=x', { presets: ['git-read'] }, 'refuse tools.shell.presets'],
  ['git log -5', { presets: ['git-read'], allowedPrefixes: ['git'] }, 'allow tools.shell.allowedPrefixes "git"'],
  ['git log -5', { presets: ['git-read'], approval: 'ask' }, 'ask tools.shell.approval'],
  ['rm', { allowedPrefixes: ['ls'], approval: 'ask' }, 'refuse tools.shell.allowedPrefixes'],
  ['ls', { enabled: false, allowedPrefixes: ['ls'] }, 'refuse tools.shell.enabled'],
] as const) {
  test(`\`${command}\` under ${JSON.stringify(settings)}: ${expected}`, () => {
    assert.equal(answer(settings, command), expected)
  })
}
