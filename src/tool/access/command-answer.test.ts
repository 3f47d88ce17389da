import assert from 'node:assert/strict'
import test from 'node:test'
import { commandAnswer } from './access-answer.ts'
import { readAccess } from './read-access.ts'

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
