import assert from 'node:assert/strict'
import test from 'node:test'
import { fileDiff } from '../../tool.ts'
import { changedTexts } from './session-updates.ts'

const numbered = Array.from({ length: 40 }, (_, at) => `line ${at + 1}\n`).join('')

test('every place of a difference, put into the old text, makes the new one', async () => {
  const pairs = [
    ['one\ntwo\n', 'one\nthree\n'],
    ['one', 'one\n'],
    ['one\n', 'one'],
    ['- a\n+ b\n\\ c\n@@ -1 +1 @@\n', '- a\n+ c\n\\ c\n@@ -1 +1 @@\n'],
    [numbered, numbered.replace('line 3\n', 'third\n').replace('line 30\n', '').replace('line 40\n', 'line 40')],
    ['one\n', ''],
  ] as const
  for (const [before, after] of pairs) {
    let text: string = before
    const places = changedTexts(await fileDiff('a.txt', before, after))
    assert.ok(places.length > 0)
    for (const { line, oldText, newText } of places) {
      const start =
        text
          .split('\n')
          .slice(0, line - 1)
          .join('\n').length + (line > 1 ? 1 : 0)
      assert.ok(text.startsWith(oldText!, start), `${JSON.stringify(oldText)} at line ${line}`)
      text = text.slice(0, start) + newText + text.slice(start + oldText!.length)
    }
    assert.equal(text, after)
  }
})

test('a new file has no old text', async () => {
  assert.deepEqual(changedTexts(await fileDiff('a.txt', undefined, 'one\ntwo')), [
    { line: 1, oldText: null, newText: 'one\ntwo' },
  ])
})

test('a difference that is not whole is not shown as if it were', async () => {
  const whole = await fileDiff('a.txt', numbered, numbered.replaceAll('line', 'row'))
  assert.equal(changedTexts(whole).length, 1)
  assert.deepEqual(changedTexts(whole.slice(0, 300)), [])
  assert.deepEqual(changedTexts(await fileDiff('a.txt', 'a\n', `a\n${'b\n'.repeat(2_001)}`)), [])
  assert.deepEqual(changedTexts('no difference'), [])
})
