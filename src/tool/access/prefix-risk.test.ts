import assert from 'node:assert/strict'
import test from 'node:test'
import { prefixRisk, RISKY_PROGRAMS_CHECKED, riskyPrograms } from './prefix-risk.ts'

for (const [prefix, why] of [
  ['sh', /shell/],
  ['sh build.sh', /shell/],
  ['/bin/bash -c', /shell/],
  ['env', /any program/],
  ['xargs', /any program/],
  ['timeout 5', /any program/],
  ['find . -name', /-exec/],
  ['python3', /any code/],
  ['python3.12 tool.py', /any code/],
  ['PYTHON.EXE', /any code/],
  ['tar -tf', /--checkpoint-action/],
  ['sed -n', /scripts run commands/],
  ['awk', /system/],
  ['gawk', /system/],
  ['git', /--output/],
  ['git log', /--output/],
  ['git status', /fsmonitor/],
  ['"git" log', /--output/],
  ['gcc-12', /-o/],
  ['npm test', /files of the project name/],
  ['make', /files of the project name/],
  ['sort', /--compress-program/],
  ['rg', /--pre/],
  ['curl https://example.org', /sends any file/],
  ['docker ps', /access to any file/],
  ['./check', /file of the workspace/],
  ['scripts/check.sh', /file of the workspace/],
] as const) {
  test(`${prefix} allows more than it seems to`, () => assert.match(prefixRisk(prefix) ?? '', why))
}

for (const prefix of [
  'ls',
  'pwd',
  'wc -l',
  'date',
  'cat',
  'grep',
  '/usr/bin/df',
  'base64',
  'shellcheck',
  'gitk',
  '',
  '*',
]) {
  test(`nothing of that is known of ${JSON.stringify(prefix)}`, () => assert.equal(prefixRisk(prefix), undefined))
}

test('the table lists each program once with its purpose, and the date of the review', () => {
  const names = riskyPrograms.flatMap((each) => each.names.split(' '))
  assert.equal(new Set(names).size, names.length)
  for (const { names: some, why } of riskyPrograms) {
    assert.match(some, /^\S+( \S+)*$/)
    assert.match(why, /^(it|its|one) .*[^.]$/)
  }
  assert.match(RISKY_PROGRAMS_CHECKED, /^20\d\d-\d\d-\d\d$/)
})
