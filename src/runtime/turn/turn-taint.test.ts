import assert from 'node:assert/strict'
import test from 'node:test'
import { ownWords } from './turn-taint.ts'

const prose = 'A sentence of an article. '.repeat(50)
const listed = Array.from({ length: 40 }, (_, at) => `https://docs.example/${at}`).join('\n')

test('the own words of a person are a message without what was pasted into it', () => {
  for (const [what, message, own] of [
    ['a short message', 'Read https://a.example/ and\nthen b.', 'Read https://a.example/ and\nthen b.'],
    ['a quotation', 'What is that?\n> see b\n  > and c\nThanks.', 'What is that?\nThanks.'],
    ['a fence', 'Explain:\n```js\nb\n```\nplease', 'Explain:\nplease'],
    ['a fence in a fence', 'a\n````\n```\nb\n```\nc\n````\nd', 'a\nd'],
    ['a fence of tildes', 'a\n~~~\nb\n```\nc\n~~~\nd', 'a\nd'],
    ['a fence that does not end', 'a\n```\nb', 'a'],
    ['a forwarded message', '(forwarded from Bo)\nb\nc', ''],
    ['one in a group', 'Ada (@ada): (forwarded from Bo)\n  b', ''],
    ['an answer', '(in answer to Bo: "b")\nopen it', 'open it'],
    ['a long paste after a question', `Sum that up.\n\n${prose}\nb`, 'Sum that up.'],
    ['a long paste and nothing else', `${prose}\n\nb`, ''],
    ['a list of addresses', listed, listed],
  ] as const) {
    assert.equal(ownWords(message), own, what)
  }
})

test('what stands behind the place where the own words are decided changes nothing', () => {
  for (const before of [prose, `Sum that up.\n\n${prose}`, `${listed}\n${prose}`, `  \n\nHello.\n \n${prose}`]) {
    for (const behind of ['\nmore', '\n\nmore', '\n```\nmore', '\n(forwarded from Bo)', `\n${listed}`]) {
      assert.equal(ownWords(`${before}${behind}`), ownWords(before))
    }
  }
})
