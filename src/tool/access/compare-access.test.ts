import assert from 'node:assert/strict'
import test from 'node:test'
import { changedTools, widenings } from './compare-access.ts'
import { readAccess } from './read-access.ts'

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
