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
  for (const name of ['mail', 'shell', '__proto__', 'files__read "all"']) {
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

test('comments and everything else stay as they were', () => {
  assert.equal(
    withTool(WRITTEN, 'mail', true),
    WRITTEN.replace('"web" // fetches', '"web",\n      "mail" // fetches').replace(
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
      'tool-access.json has to be mended before it can be changed: line 1: global.mode must be one of off, allowlist, full; line 1: y is not a key (known here: $schema, global, tools)',
  })
})

function answer(text: string, name: string): string {
  return accessAnswer(readAccess(text, {}), { name }).type
}
