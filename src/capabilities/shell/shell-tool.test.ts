import assert from 'node:assert/strict'
import test from 'node:test'
import { allowedText, isAllowed } from './shell-tool.ts'

const cases: readonly (readonly [prefix: string, argv: readonly string[], allowed: boolean])[] = [
  ['git status', ['git', 'status'], true],
  ['git status', ['git', 'status', '-s'], true],
  ['git status', ['git', 'stash'], false],
  ['git status', ['git', 'status-all'], false],
  ['git status', ['git status'], false],
  ['git status', ['git'], false],
  ['git status', ['GIT', 'status'], false],
  ['git status', ['/usr/bin/git', 'status'], false],
  ['git', ['./git'], false],
  ['/usr/bin/git', ['/usr/bin/git', 'log'], true],
  ['ls', ['lѕ'], false],
  ['ls', ['ls\u200b'], false],
  ["'my tool' run", ['my tool', 'run', 'x'], true],
  ['', ['ls'], false],
  ['   ', ['ls'], false],
  ['*', ['ls'], false],
  ['ls; rm', ['ls;', 'rm'], false],
]

for (const [prefix, argv, allowed] of cases) {
  test(`${JSON.stringify(prefix)} ${allowed ? 'allows' : 'does not allow'} ${JSON.stringify(argv)}`, () => {
    assert.equal(isAllowed(argv, [prefix]), allowed)
  })
}

test('no prefixes allow nothing', () => {
  assert.equal(isAllowed(['ls'], []), false)
  assert.equal(allowedText([]), 'no command is allowed')
  assert.equal(allowedText(['*', '']), 'no command is allowed')
})

test('a short summary shows what is allowed', () => {
  assert.equal(allowedText(['git status', 'ls']), 'allowed are commands that begin with: git status, ls')
  const many = Array.from({ length: 25 }, (_, index) => `tool${index}`)
  assert.match(allowedText(many), /: tool0, .*tool19 and 5 more$/)
})

test('a short summary shows the commands of presets before the free prefixes', () => {
  assert.match(
    allowedText([], ['git-read']),
    /^allowed with some of their flags are: git status, git log, git show, .*[^.]$/,
  )
  const both = allowedText(
    Array.from({ length: 25 }, (_, index) => `tool${index}`),
    ['files-read', 'git-read'],
  )
  assert.match(
    both,
    /^allowed with some of their flags are: pwd, ls, .* and \d+ more; allowed are commands that begin with: tool0, .*tool7 and 17 more$/,
  )
  assert.equal(allowedText([], ['unknown']), 'no command is allowed')
})
