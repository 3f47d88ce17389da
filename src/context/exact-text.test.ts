import assert from 'node:assert/strict'
import test from 'node:test'
import { argvText, exactLine, exactLines, lookAlikes } from './exact-text.ts'

test('what could not be seen is written out', () => {
  assert.equal(exactLine('rm\u001B[2K ok'), 'rm\\u{1b}[2K ok')
  assert.equal(exactLine('two\nlines\t\r'), 'two\\nlines\\t\\r')
  assert.equal(exactLine('a\u202Etxt.exe'), 'a\\u{202e}txt.exe')
  assert.equal(
    exactLine('no\u00A0break\u200Bzero\u2028\u{E0041}\uD800'),
    'no\\u{a0}break\\u{200b}zero\\u{2028}\\u{e0041}\\u{d800}',
  )
  assert.equal(exactLine('a\u3164b\u115F\uFE0F\u034F\u2800'), 'a\\u{3164}b\\u{115f}\\u{fe0f}\\u{34f}\\u{2800}')
  assert.equal(exactLine('grüße 你好 🙂'), 'grüße 你好 🙂')
})

test('a text of several lines keeps its lines', () => {
  assert.equal(exactLines('one\n\ttwo\r\nthree\rfour\u0007'), 'one\n\ttwo\\r\nthree\\rfour\\u{7}')
})

test('the words of a command line are separated', () => {
  assert.equal(argvText(['git', 'commit', '-m', 'two words', '']), 'git commit -m "two words" ""')
  assert.equal(argvText(['echo', 'a;b', '$HOME', "it's", '"', '\\', '*']), `echo "a;b" "$HOME" "it's" "\\"" "\\\\" "*"`)
  assert.equal(argvText(['echo', 'a\nb', '\u202E', 'é']), 'echo "a\\nb" "\\u{202e}" "é"')
})

test('letters that resemble others are named', () => {
  assert.deepEqual(lookAlikes('gіt pushеs'), ['і (U+0456)', 'е (U+0435)'])
  assert.deepEqual(lookAlikes('git push Ελλάδα привет 你好'), [])
})
