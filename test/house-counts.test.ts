import assert from 'node:assert/strict'
import test from 'node:test'
import { namesTaken, namesTwice, smallParts, soleImports, type Sources } from '../scripts/counts/source-counts.ts'

test('a small file that one file beside it alone imports is counted, others are not', () => {
  const sources = sourcesOf({
    'src/agent/turn.ts': `import { a } from './small.ts'\nimport { b } from './shared.ts'\nimport { c } from './deep/far.ts'`,
    'src/agent/other.ts': `import { b } from './shared.ts'`,
    'src/agent/small.ts': 'export const a = 1',
    'src/agent/shared.ts': 'export const b = 1',
    'src/agent/deep/far.ts': 'export const c = 1',
  })
  assert.deepEqual([...soleImports(sources).keys()], ['src/agent/small.ts', 'src/agent/deep/far.ts'])
  assert.deepEqual(smallParts(sources), ['src/agent/small.ts'])
})

test('a name that two files declare is counted, one that is passed on is not', () => {
  const sources = sourcesOf({
    'src/a.ts': 'export interface Twice {}\nexport const once = 1',
    'src/b/c.ts': 'export type Twice = string',
    'src/b.ts': `export { type Twice } from './b/c.ts'`,
  })
  assert.deepEqual([...namesTwice(sources)], [['Twice', ['src/a.ts', 'src/b/c.ts']]])
})

test('every way to take a name from another room is seen, and the room itself is no user', () => {
  const sources = sourcesOf({
    'src/agent/turn.ts': `import { type one, two as zwei } from '../model.ts'\nasync function f() {\n  const { three } = await import('../model.ts')\n}`,
    'src/cli/main.ts': `const four = (await import('../model.ts')).four\nexport { five } from '../model.ts'`,
    'src/model/own.ts': `import { six } from '../model.ts'`,
    'test/a.test.ts': `import { seven } from '../src/model/seven.ts'`,
    'docs/a.md': `import { eight } from 'foreword/model'`,
  })
  const names = ['one', 'two', 'three', 'four', 'five', 'seven', 'eight']
  assert.deepEqual([...namesTaken(sources, 'foreword')].toSorted(), names.map((name) => `model ${name}`).toSorted())
})

function sourcesOf(texts: Readonly<Record<string, string>>): Sources {
  return new Map(Object.entries(texts).map(([path, text]) => [path, { path, text, lines: text.split('\n').length }]))
}
