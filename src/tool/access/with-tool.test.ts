import assert from 'node:assert/strict'
import test from 'node:test'
import { accessAnswer } from './access-answer.ts'
import { readAccess } from './read-access.ts'
import { withTool } from './with-tool.ts'

const WRITTEN = `{
  // what may run
  "global": {
    "allowedTools": [
      "list_files", // looks
      "web" // fetches
    ]
  },
  "tools": {
    "mail": { "enabled": false /* too early */, "approval": "ask" }
  }
}
`

for (const [what, text] of [
  ['no text', ''],
  ['an empty object', '{}'],
  ['comments alone', '// mine'],
  ['comments', '// mine\n{}\n'],
  ['the tool disabled', '{"tools": {"mail": {"enabled": false}}}'],
  ['another tool', WRITTEN],
  ['mode full', '{"global": {"mode": "full"}, "tools": {"mail": {"enabled": false}, "shell": {"enabled": false}}}'],
  ['the shell off', '{"tools": {"shell": {"enabled": false, "mode": "off"}}}'],
  ['the tool twice', '{"global": {"allowedTools": ["mail", "web", "mail", "shell"]}}'],
  ['a beginning', '{"global": {"allowedTools": ["*"]}}'],
] as const) {
  for (const name of ['mail', 'shell', 'constructor', 'files__read "all"']) {
    test(`allowing and forbidding ${name} works on ${what}, as often as one likes`, () => {
      const allowed = withTool(text, name, true)
      assert.match(answer(allowed, name), /^(?:allow|ask)$/)
      assert.equal(withTool(allowed, name, true), allowed)
      const forbidden = withTool(allowed, name, false)
      assert.equal(answer(forbidden, name), 'refuse')
      assert.equal(withTool(forbidden, name, false), forbidden)
      assert.match(answer(withTool(forbidden, name, true), name), /^(?:allow|ask)$/)
    })
  }
}

test('the last name of a list on one line can be forbidden, and the file can still be read', () => {
  assert.equal(
    withTool('{"global": {"allowedTools": ["read_file", "mail"]}}', 'mail', false),
    '{"global": {"allowedTools": ["read_file"]}, "tools": { "mail": { "enabled": false } }}',
  )
})

const PATTERNS = `{
  "global": { "mode": "full", "allowedTools": ["read_file", "r*", "read_re*", "web"] },
  "tools": {
    "read_file": { "enabled": true, "approval": "ask" },
    "read_r*": { "enabled": true },
    "readme": { "enabled": true },
    "shell": { "enabled": true }
  }
}
`

test('denying a pattern denies all tools that it matches, exceptions included, and nothing else', () => {
  const text = withTool(PATTERNS, 'read_*', false)
  for (const name of ['read_file', 'read_result', 'read_', 'read_x'])
    assert.equal(answer(text, name, true), 'refuse', name)
  for (const name of ['readme', 'web', 'shell', 'rest']) assert.equal(answer(text, name), 'allow', name)
  assert.deepEqual((JSON.parse(text) as { global: unknown }).global, { mode: 'full', allowedTools: ['r*', 'web'] })
  assert.equal(withTool(text, 'read_*', false), text)
  assert.equal(answer(withTool(text, '*', false), 'shell'), 'refuse')
})

test('allowing a pattern takes back what disabled it; what a more exact name disables stays so', () => {
  const forbidden = withTool(withTool('{"tools": {"r*": {"enabled": false}}}', 'read_file', false), 'read_*', false)
  const text = withTool(forbidden, 'read_*', true)
  assert.equal(answer(text, 'read_result'), 'allow')
  assert.equal(answer(text, 'read_file'), 'refuse')
  assert.equal(answer(text, 'rest', true), 'refuse')
  assert.equal(answer(withTool(text, 'read_file', true), 'read_file'), 'allow')
})

test('one name is an exception from a pattern that forbids it', () => {
  const text = withTool('{"tools": {"*": {"enabled": false}}}', 'mail', true)
  assert.deepEqual([answer(text, 'mail'), answer(text, 'web')], ['allow', 'refuse'])
})

test('no pattern switches the shell on', () => {
  assert.equal(answer(withTool('', '*', true), 'shell'), 'refuse')
  assert.equal(answer(withTool('', '*', true), 'web'), 'allow')
})

test('a name that would be a comment under tools is taken off the list, and refused where that is not enough', () => {
  const text = '{"global": {"allowedTools": ["_mail", "web"]}}'
  assert.equal(answer(withTool(text, '_mail', false), '_mail'), 'refuse')
  assert.throws(() => withTool('{"global": {"mode": "full"}}', '_mail', false), /keys that begin with _ are comments/)
  assert.throws(() => withTool('{"tools": {"*": {"enabled": false}}}', '_mail', true), /are comments/)
})

for (const name of ['re*d', '', ' ', '**']) {
  test(`${JSON.stringify(name)} is no name`, () => {
    for (const allowed of [true, false])
      assert.throws(() => withTool('{}', name, allowed), /may contain \* only at its end/)
  })
}

test('comments and everything else stay as they were', () => {
  assert.equal(
    withTool(WRITTEN, 'mail', true),
    WRITTEN.replace('"web" // fetches', '"web", // fetches\n      "mail"').replace(
      '"enabled": false',
      '"enabled": true',
    ),
  )
})

test('in mode full the list is left alone', () => {
  const text = '{"global": {"mode": "full", "allowedTools": []}}'
  assert.equal(withTool(text, 'mail', true), text)
})

test('the master switches are left alone', () => {
  const text = '{"global": {"enabled": false, "mode": "off"}}'
  assert.equal(answer(withTool(text, 'mail', true), 'mail'), 'refuse')
})

test('a faulty file is not touched, and every problem of it is named', () => {
  assert.throws(() => withTool('{"global": {"mode": "x"}, "y": 1}', 'mail', true), {
    message:
      'Fix tool-access.json before you change it: line 1: global.mode must be one of off, allowlist, full; line 1: y is not a known key (known keys: $schema, global, sandbox, tools).',
  })
})

function answer(text: string, name: string, readsContext = false): string {
  return accessAnswer(readAccess(text, {}), { name, readsContext }).type
}
