import assert from 'node:assert/strict'
import test from 'node:test'
import * as fc from 'fast-check'
import { anyCharacter } from '../../../../test/arbitrary/characters.ts'
import { readBrief, tasteConflicts } from './subject-context.ts'
import { splitLines } from './lines.ts'

const declarations: readonly (readonly [string, readonly string[]])[] = [
  ['Tastes: a, b, c', ['a', 'b', 'c']],
  ['Tastes: [a, b, c]', ['a', 'b', 'c']],
  [`Tastes: [a, "b", 'c']`, ['a', 'b', 'c']],
  [`Tastes: "a", 'b'`, ['a', 'b']],
  ['Tastes: "a, b"', ['a', 'b']],
  ["Tastes: ' a , b '", ['a', 'b']],
  ['**Tastes:** ["a, b"]', ['a', 'b']],
  ['**Tastes: "a, b"**', ['a', 'b']],
  [`Tastes: "a, 'b'"`, ['a', 'b']],
  ['Tastes: "a", "b, c"', ['a', '"b', 'c"']],
  ['Tastes: "', ['"']],
  ['Tastes:a', ['a']],
  ['tastes: a', ['a']],
  ['TASTES: a', ['a']],
  ['tAsTeS: a', ['a']],
  ['   Tastes: a', ['a']],
  ['\tTastes: a', ['a']],
  ['\uFEFFTastes: a', ['a']],
  ['\uFEFF  Tastes: a', ['a']],
  ['**Tastes:** a, b', ['a', 'b']],
  ['  **Tastes:** a', ['a']],
  ['\uFEFF**Tastes:** [a]', ['a']],
  ['**Tastes: a, b**', ['a', 'b']],
  ['**Tastes**: a', ['a']],
  ['Tastes:', []],
  ['Tastes: []', []],
  ['Tastes: , a,, "", b ,', ['a', 'b']],
  [`Tastes: [ " a " , '' ]`, ['a']],
  ['Tastes: a, a', ['a', 'a']],
  ['Tastes: under_water-2.x', ['under_water-2.x']],
  ['Tastes: ../secret, two words', ['../secret', 'two words']],
]

for (const [line, tastes] of declarations) {
  test(`${JSON.stringify(line)} declares ${JSON.stringify(tastes)} and leaves the intent`, () => {
    const raw = `# Reef\n${line}\nWarm.\n`
    assert.deepEqual(readBrief(raw), { raw, intent: '# Reef\nWarm.', tastes })
  })
}

for (const line of ['My Tastes: a', 'Tastes a', '- Tastes: a', '# Tastes: a', 'Taste: a', 'Tastesx: a', '']) {
  test(`${JSON.stringify(line)} declares nothing and stays`, () => {
    assert.deepEqual(readBrief(line), { raw: line, intent: line, tastes: [] })
  })
}

test('the last declaration counts, and all of them leave the intent', () => {
  const { intent, tastes } = readBrief('Tastes: a\nOne.\n**tastes:** b\nTwo.\n  TASTES: [c, d]\nThree.')
  assert.deepEqual(tastes, ['c', 'd'])
  assert.equal(intent, 'One.\nTwo.\nThree.')
})

test('the intent is trimmed: blank lines that a declaration leaves behind are not part of it', () => {
  for (const end of ['\n', '\r\n', '\r']) {
    assert.equal(
      readBrief(`\uFEFF${end}Tastes: a${end}${end}  One.${end}  Two. ${end}${end}`).intent,
      `One.${end}  Two.`,
    )
  }
  assert.equal(readBrief(' \n\n').intent, '')
})

test('an empty declaration below takes an earlier one back', () => {
  assert.deepEqual(readBrief('Tastes: a\nTastes: []').tastes, [])
})

for (const end of ['\n', '\r\n', '\r']) {
  test(`lines end at ${JSON.stringify(end)}, and what is left keeps those between its lines`, () => {
    const { intent, tastes } = readBrief(['One.', 'Tastes: a', '', 'Two.', ''].join(end))
    assert.deepEqual(tastes, ['a'])
    assert.equal(intent, ['One.', '', 'Two.'].join(end))
  })
}

test('any text is a brief, and its intent declares nothing any more', () => {
  const text = fc.array(
    fc.oneof(fc.string({ unit: anyCharacter }), fc.constantFrom('Tastes: a', '\n', '\r', '**', '\uFEFF')),
  )
  fc.assert(
    fc.property(text, (parts) => {
      const raw = parts.join('')
      const brief = readBrief(raw)
      assert.equal(brief.raw, raw)
      const again = readBrief(brief.intent)
      assert.deepEqual(again, { raw: brief.intent, intent: brief.intent, tastes: [] })
    }),
  )
})

test('a line as long as a file is read at once', () => {
  const spaces = `${' *'.repeat(200_000)}${' '.repeat(400_000)}tastes`
  assert.deepEqual(readBrief(spaces).tastes, [])
})

test('a line in two or three files is a conflict', () => {
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

test('conflicts are in the order in which their lines first appear', () => {
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

test('a conflict names only files with the line, and at least two of them', () => {
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
        all.filter(([, whole]) => splitLines(whole).some((line) => line.trim() === point)).map(([name]) => name)
      for (const { point, files } of conflicts) {
        assert.deepEqual(files, standing(point))
        assert.ok(files.length >= 2)
      }
      const points = ['warm', 'calm', 'cold', 'wide'].filter((point) => standing(point).length >= 2)
      assert.deepEqual(new Set(conflicts.map(({ point }) => point)), new Set(points))
    }),
  )
})
