import assert from 'node:assert/strict'
import test from 'node:test'
import { changedTools, widenings } from './compare-access.ts'
import { readAccess } from './read-access.ts'
import { widenedText } from './widened-text.ts'

const tools = [
  { name: 'read_file' },
  { name: 'edit_file', approval: 'ask' as const },
  { name: 'shell' },
  { name: 'read_result', readsContext: true },
]

const shell = (settings: object) => ({
  global: { allowedTools: ['shell'] },
  tools: { shell: { enabled: true, ...settings } },
})

for (const [what, before, after, widened] of [
  ['nothing', {}, {}, []],
  ['a tool less', { global: { allowedTools: ['read_file'] } }, {}, []],
  ['a known tool', {}, { global: { allowedTools: ['read_file'] } }, ['tool read_file refused → allowed']],
  ['a tool that asks', {}, { global: { allowedTools: ['edit_file'] } }, ['tool edit_file refused → ask']],
  [
    'nobody is asked any more',
    { global: { allowedTools: ['edit_file'] } },
    { global: { allowedTools: ['edit_file'] }, tools: { edit_file: { approval: 'never' } } },
    ['tool edit_file ask → allowed'],
  ],
  ['a tool that is not there', {}, { global: { allowedTools: ['mail'] } }, ['tools mail refused → allowed']],
  [
    'a pattern, with the tools that come later',
    { global: { allowedTools: ['read_file'] } },
    { global: { allowedTools: ['read_*'] } },
    ['tools read_* refused → allowed'],
  ],
  ['a pattern in place of a wider one', { global: { allowedTools: ['*'] } }, { global: { allowedTools: ['r*'] } }, []],
  [
    'an exception',
    { global: { mode: 'full' }, tools: { 'r*': { enabled: false } } },
    { global: { mode: 'full' }, tools: { 'r*': { enabled: false }, read_x: { enabled: true } } },
    ['tools read_x refused → allowed'],
  ],
  [
    'mode full',
    {},
    { global: { mode: 'full' } },
    ['tool read_file refused → allowed', 'tool edit_file refused → ask', 'tools * refused → allowed'],
  ],
  [
    'a prefix',
    shell({ allowedPrefixes: ['ls'] }),
    shell({ allowedPrefixes: ['ls', 'git'] }),
    ['command git refused → allowed'],
  ],
  ['a longer prefix', shell({ allowedPrefixes: ['git'] }), shell({ allowedPrefixes: ['git status'] }), []],
  [
    'a preset',
    shell({ presets: ['search'], allowedPrefixes: ['git log'] }),
    shell({ presets: ['search', 'git-read'], allowedPrefixes: ['git log'] }),
    ['preset git-read refused → allowed'],
  ],
  ['a preset in place of a wider prefix', shell({ allowedPrefixes: ['git'] }), shell({ presets: ['git-read'] }), []],
  [
    'a prefix in place of a preset',
    shell({ presets: ['git-read'] }),
    shell({ allowedPrefixes: ['git log'] }),
    ['command git log refused → allowed'],
  ],
  [
    'a preset in place of every command with a question',
    shell({ mode: 'full', approval: 'ask' }),
    shell({ presets: ['git-read'] }),
    ['tool shell ask → allowed', 'preset git-read ask → allowed'],
  ],
  [
    'any folder for presets alone',
    shell({ presets: ['search'] }),
    shell({ presets: ['search'], allowAnyCwd: true }),
    [],
  ],
  ['no sandbox', {}, { sandbox: { enabled: false } }, ['sandbox * ask → allowed']],
  ['a sandbox again', { sandbox: { enabled: false } }, { sandbox: { network: ['curl'] } }, []],
  ['no question without a sandbox', {}, { sandbox: { withoutIt: 'run' } }, ['sandbox * ask → allowed']],
  ['fewer refusals without a sandbox', { sandbox: { withoutIt: 'refuse' } }, {}, ['sandbox * refused → ask']],
  [
    'more of the machine in the sandbox',
    { sandbox: { readable: ['/srv/a'] } },
    { sandbox: { readable: ['/srv/a', '/srv/b'], writable: ['/srv/c'], network: ['curl'] } },
    ['network curl refused → ask', 'read /srv/b refused → allowed', 'write /srv/c refused → allowed'],
  ],
  [
    'the shell itself',
    { tools: { shell: { allowedPrefixes: ['ls', '*'] } } },
    shell({ allowedPrefixes: ['ls', '*'] }),
    ['tool shell refused → allowed', 'command ls refused → allowed'],
  ],
  [
    'any command',
    shell({ allowedPrefixes: ['ls'] }),
    shell({ mode: 'full', approval: 'ask' }),
    ['command * refused → ask'],
  ],
  [
    'no question after texts of others',
    { tools: { 'mail*': { afterUntrusted: 'refuse' } } },
    {
      tools: {
        edit_file: { afterUntrusted: 'allow' },
        'mail*': { afterUntrusted: 'ask' },
        'x*': { afterUntrusted: 'ask' },
      },
    },
    ['untrusted mail* refused → ask', 'untrusted edit_file ask → allowed'],
  ],
  ['no question after texts of others for a reader', {}, { tools: { read_result: { afterUntrusted: 'allow' } } }, []],
  [
    'no question after texts of others for anything',
    { tools: { read_file: { afterUntrusted: 'refuse' }, shell: { afterUntrusted: 'ask' } } },
    { tools: { '*': { afterUntrusted: 'allow' } } },
    ['untrusted read_file refused → allowed', 'untrusted * ask → allowed'],
  ],
  [
    'no question after texts of others for all tools',
    { global: { afterUntrusted: 'deny' }, tools: { mail: { afterUntrusted: 'ask' } } },
    { global: { afterUntrusted: 'ask' } },
    ['untrusted * refused → ask'],
  ],
  [
    'any folder',
    shell({ allowedPrefixes: ['ls'] }),
    shell({ allowedPrefixes: ['ls'], allowAnyCwd: true }),
    ['folder * refused → allowed'],
  ],
] as const) {
  test(`a change that adds ${what} lets through exactly that`, () => {
    const [old, now] = [before, after].map((value) => readAccess(JSON.stringify(value), {})) as [never, never]
    assert.deepEqual(
      widenings(old, now, tools).map((each) => `${each.kind} ${each.name} ${each.before} → ${each.after}`),
      [...widened],
    )
  })
}

test('a file that could not be read allowed nothing, so all that its correction allows is named', () => {
  const faulty = readAccess('{', {})
  const corrected = readAccess('{"global": {"allowedTools": ["read_file"]}}', {})
  assert.deepEqual(
    widenings(faulty, corrected, tools).map(({ name }) => name),
    ['read_file', 'read_result'],
  )
})

test('a preset that runs code of the project says so', () => {
  const [old, now] = [shell({}), shell({ presets: ['node-test'] })].map((each) =>
    readAccess(JSON.stringify(each), {}),
  ) as [never, never]
  assert.match(widenings(old, now, tools)[0]!.risk!, /it runs code of the project/)
})

test('a risky prefix says why', () => {
  const [old, now] = [shell({}), shell({ allowedPrefixes: ['find'] })].map((each) =>
    readAccess(JSON.stringify(each), {}),
  ) as [never, never]
  assert.match(widenings(old, now, tools)[0]!.risk!, /-exec/)
})

test('tools are listed with their rules before and after', () => {
  const [old, now] = ['{}', '{"global": {"allowedTools": ["edit_file"]}}'].map((text) => readAccess(text, {})) as [
    never,
    never,
  ]
  assert.deepEqual(changedTools(old, now, tools), [
    {
      name: 'edit_file',
      before: { access: 'refused', rule: 'global.allowedTools' },
      after: { access: 'ask', rule: 'approval' },
    },
  ])
})

test('a sentence says that any argument may follow a prefix, and what a preset that runs code does', () => {
  const [old, now] = [shell({}), shell({ allowedPrefixes: ['git log'], presets: ['git-read', 'python-test'] })].map(
    (each) => readAccess(JSON.stringify(each), {}),
  ) as [never, never]
  assert.deepEqual(widenings(old, now, tools).map(widenedText), [
    'A model may run every command that begins with git log, whatever arguments follow.',
    'A model may run the commands of the preset git-read.',
    'A model may run the commands of the preset python-test; it runs code of the project, which can do whatever the sandbox lets a program do.',
  ])
})
