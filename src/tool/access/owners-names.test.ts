import assert from 'node:assert/strict'
import test from 'node:test'
import { isOwnersName } from './owners-names.ts'

for (const name of [
  '.git',
  '.GIT',
  '.git.',
  '.git ',
  '.Git . ',
  'GIT~1',
  '.git::$INDEX_ALLOCATION',
  'AGENTS.md.',
  '.vscode ',
  '.g\u200Dit',
]) {
  test(`${JSON.stringify(name)} belongs to the owner alone`, () => assert.equal(isOwnersName(name), true))
}

for (const name of ['git', 'GIT~2', '.github', 'AGENTS.md.txt', 'agents', '...', ' ']) {
  test(`${JSON.stringify(name)} is a name as any other`, () => assert.equal(isOwnersName(name), false))
}
