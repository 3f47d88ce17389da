import assert from 'node:assert/strict'
import test from 'node:test'
import * as fc from 'fast-check'
import { linesOf } from './lines.ts'
import { tasteConflicts } from './taste-conflicts.ts'

test('a line that stands in two files is a conflict, and so is one in three', () => {
  assert.deepEqual(
    tasteConflicts([
      ['a', 'warm\ncalm\nonly a'],
      ['b', 'calm\nonly b'],
      ['c', 'warm\ncalm'],
    ]),
    [
      { point: 'warm', files: ['a', 'c'] },
      { point: 'calm', files: ['a', 'b', 'c'] },
    ],
  )
})

test('conflicts stand in the order in which their lines are first seen', () => {
  const conflicts = tasteConflicts([
    ['a', 'one'],
    ['b', 'three\ntwo\none'],
    ['c', 'two\nthree'],
  ])
  assert.deepEqual(
    conflicts.map(({ point }) => point),
    ['one', 'three', 'two'],
  )
})

test('a line twice in one file is no conflict', () => {
  assert.deepEqual(tasteConflicts([['a', 'warm\nwarm']]), [])
  assert.deepEqual(
    tasteConflicts([
      ['a', 'warm\nwarm'],
      ['b', 'cold'],
    ]),
    [],
  )
})

for (const line of [
  '',
  '   ',
  '\t',
  '# Colours',
  '#note',
  '  # Colours',
  '---',
  '***',
  '- - -',
  '...',
  '```',
  '===',
  '|---|',
]) {
  test(`${JSON.stringify(line)} says nothing, so it is no conflict`, () => {
    assert.deepEqual(
      tasteConflicts([
        ['a', line],
        ['b', line],
      ]),
      [],
    )
  })
}

for (const line of ['- warm', '暖かい', '1', 'ä', '🌊', '! x']) {
  test(`${JSON.stringify(line)} says something`, () => {
    assert.equal(
      tasteConflicts([
        ['a', line],
        ['b', line],
      ]).length,
      1,
    )
  })
}

test('spaces around a line and the way it ends make no difference; its case does', () => {
  assert.deepEqual(
    tasteConflicts([
      ['a', '  - warm tones\t\r\nCalm'],
      ['b', '- warm tones\rcalm'],
    ]),
    [{ point: '- warm tones', files: ['a', 'b'] }],
  )
})

test('a conflict names only files that its line stands in, and two of them at least', () => {
  const text = fc
    .array(fc.constantFrom('warm', 'calm', ' cold ', '#', '--', '', 'wide'))
    .map((lines) => lines.join('\n'))
  const genres = fc.uniqueArray(fc.tuple(fc.constantFrom('a', 'b', 'c', '__proto__'), text), {
    selector: ([name]) => name,
  })
  fc.assert(
    fc.property(genres, (all) => {
      const conflicts = tasteConflicts(all)
      const standing = (point: string) =>
        all.filter(([, whole]) => linesOf(whole).some((line) => line.trim() === point)).map(([name]) => name)
      for (const { point, files } of conflicts) {
        assert.deepEqual(files, standing(point))
        assert.ok(files.length >= 2)
      }
      const points = ['warm', 'calm', 'cold', 'wide'].filter((point) => standing(point).length >= 2)
      assert.deepEqual(new Set(conflicts.map(({ point }) => point)), new Set(points))
    }),
  )
})
