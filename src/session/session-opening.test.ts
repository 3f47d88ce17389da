import assert from 'node:assert/strict'
import { test } from 'node:test'
import { openingOf } from './session-opening.ts'

test('a title says what a text is about, without greeting, Markdown, quotes, code and names of files', () => {
  for (const [text, title] of [
    ['What does the parser do?', 'What does the parser do?'],
    ['Fix the test.', 'Fix the test'],
    ['Hi! Can you rename the module?', 'Can you rename the module?'],
    ['Hello there,\n\nplease read harbour.md.', 'Please read harbour.md'],
    ['Guten Tag, wie wird das Wetter?', 'Wie wird das Wetter?'],
    ['Dear Ann, the pier is closed.', 'The pier is closed'],
    ['Hello world in C', 'Hello world in C'],
    ['Hi-fi from 1970', 'Hi-fi from 1970'],
    ['Hide the sidebar', 'Hide the sidebar'],
    ['# Plan for *May*\n\nText', 'Plan for May'],
    ['- [ ] **Buy** `bread`', 'Buy bread'],
    ['1. Read [the guide](https://example.org/guide)', 'Read the guide'],
    ['> You wrote this.\n\nIs it true?', 'Is it true?'],
    ['```js\nconst a = 1\n```\nWhy is `a` not 2?', 'Why is a not 2?'],
    ['    at run (main.js:3)\n\tat start\nWhy does it fail?', 'Why does it fail?'],
    ['report.pdf\nSum it up', 'Sum it up'],
    ['@src/parser.ts\nhttps://example.org/a?b=c\nWhat is wrong here?', 'What is wrong here?'],
    [
      'Ok. Then write the letter to Dr. Brown, e.g. tomorrow. Thanks.',
      'Then write the letter to Dr. Brown, e.g. tomorrow',
    ],
    ['Version 2.0.1 fails. Look why.', 'Version 2.0.1 fails'],
    ['snake_case_name stays as it is', 'snake_case_name stays as it is'],
    ['<b>Bold</b> words', 'Bold words'],
    ['為什麼天空是藍色的？因為', '為什麼天空是藍色的？'],
    [
      'Please compare the two drafts of the contract and list every difference',
      'Please compare the two drafts of the contract and list…',
    ],
    ['a'.repeat(80), `${'a'.repeat(59)}…`],
  ] as const)
    assert.deepEqual([openingOf(text), openingOf(title)], [title, title], text)
})

const answer = '```\n1\n```\n\n## The harbour at night\n\nIt is dark.'

test('a paste, a file or a name alone has the title of its answer, and without one its own beginning', () => {
  for (const text of [
    '',
    'report.pdf',
    '/home/ann/notes.txt',
    'https://example.org',
    '```\nnpm ERR! code 1\n```',
    '~~~\nnot closed',
    '> Only a quote',
    '| day | tide |\n| - | - |',
  ]) {
    assert.equal(openingOf(text, { answer }), 'The harbour at night', text)
    assert.equal(openingOf(text, { next: 'Hello. When does the tide turn?', answer }), 'When does the tide turn?', text)
  }
  assert.equal(openingOf('```\nnpm ERR! code 1\n```'), '``` npm ERR! code 1 ```')
})

test('a greeting waits for the first message that says something, whatever was answered to it', () => {
  for (const text of ['hi', 'Hello!', 'hey there', 'Hi Ann!', '?', '…', '👍', 'ok', 'Thanks!']) {
    assert.equal(openingOf(text, { answer: 'How can I help you today?' }), text)
    assert.equal(openingOf(openingOf(text)!, { next: 'When does the tide turn?' }), 'When does the tide turn?')
  }
  assert.deepEqual([openingOf(' ', { answer: ' ' }), openingOf('', { next: 'hi' })], [undefined, 'hi'])
})

test('no title is longer than 60 characters, nor takes long for a text that is', () => {
  for (const piece of [
    'word ',
    '.',
    'a.',
    '`',
    '> ',
    '# ',
    '(',
    '[a](',
    'a/b ',
    'a.b.c ',
    '<b',
    '*_',
    '\u{1F980}',
    'hi ',
    '- ',
  ]) {
    const { user } = process.cpuUsage()
    const title = openingOf(piece.repeat(200_000)) ?? ''
    assert.ok(title.length <= 60 && title.isWellFormed() && !title.includes('\n'), piece)
    assert.ok(process.cpuUsage({ user, system: 0 }).user < 1_000_000, `${piece} takes too long`)
  }
})
