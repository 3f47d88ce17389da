import assert from 'node:assert/strict'
import { join } from 'node:path'
import test from 'node:test'
import { folderCircles } from '../scripts/counts/circles.ts'
import { countsAboveLine, heldCounts } from '../scripts/counts/held-counts.ts'
import type { Sources } from '../scripts/counts/source-counts.ts'

const root = join(import.meta.dirname, '..')

test('no count of what people pay for is more than 5 % above its recorded line', async () => {
  assert.deepEqual(countsAboveLine(await heldCounts(root)), [])
})

test('a count that is more than 5 % above its line is reported with its line, and so is one without a line', () => {
  const count = (id: string, found: number) => ({ id, what: `what ${id} counts`, count: found, aim: 0 })
  const recorded = { date: '2026-11-28', lines: { functions: 100, circles: 0, pairs: 13 } }
  const above = (...counts: ReturnType<typeof count>[]) =>
    countsAboveLine(counts, recorded).map((text) => text.slice(0, 60))
  assert.deepEqual(above(count('functions', 105), count('circles', 0), count('pairs', 13)), [])
  assert.deepEqual(above(count('functions', 106), count('circles', 1), count('pairs', 14), count('new', 0)), [
    'functions: what functions counts: 106. The line of 2026-11-28 is 100'.slice(0, 60),
    'circles: what circles counts: 1. The line of 2026-11-28 is 0'.slice(0, 60),
    'pairs: what pairs counts: 14. The line of 2026-11-28 is 13, '.slice(0, 60),
    'new has no line: record it with `npm run counts -- --record`'.slice(0, 60),
  ])
})

test('folders of a room that import each other are counted once, folders that import in one direction are not', () => {
  const sources = sourcesOf({
    'src/runtime/calls/a.ts': `import type { b } from '../turns/b.ts'\nimport { c } from '../notes/c.ts'`,
    'src/runtime/turns/b.ts': `import { a } from '../calls/a.ts'\nimport { d } from './deep/d.ts'`,
    'src/runtime/turns/deep/d.ts': `import { a } from '../../calls/a.ts'\nimport { b } from '../b.ts'`,
    'src/runtime/notes/c.ts': `import { other } from '../../session/log/other.ts'`,
    'src/runtime/notes/c.test.ts': `import { a } from '../calls/a.ts'`,
  })
  assert.deepEqual(folderCircles(sources), [{ folders: ['runtime/calls', 'runtime/turns'], imports: [1, 2] }])
})

function sourcesOf(texts: Readonly<Record<string, string>>): Sources {
  return new Map(Object.entries(texts).map(([path, text]) => [path, { path, text, lines: text.split('\n').length }]))
}
