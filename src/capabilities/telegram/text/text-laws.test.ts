import assert from 'node:assert/strict'
import test from 'node:test'
import * as fc from 'fast-check'
import { anyCharacter } from '../../../../test/arbitrary/characters.ts'
import { type FormattedText, messageParts } from './formatted-text.ts'
import { formatMarkdown } from './markdown.ts'

const SIGNS = Array.from('*_~`#>|[]()!<&;:\\-+= \n\t1.')
const PIECES = ['```', '\n\n', '](http://a.example)', '👍', '👩‍🚀', '\ud800', 'ab', '  ']
const anything = fc.oneof(
  fc.string({ unit: anyCharacter, maxLength: 200, size: 'max' }),
  fc.array(fc.constantFrom(...SIGNS, ...PIECES), { maxLength: 80, size: 'max' }).map((list) => list.join('')),
)

const BLOCKS = [
  '\n',
  '\n\n',
  '\n```\n',
  '\n```ts\n',
  '\n- ',
  '\n  - ',
  '\n1. ',
  '\n> ',
  '\n# ',
  '\n---\n',
  '\n    ',
  '\n|-|-|\n',
]
const WORDS = [
  ' ',
  '*',
  '**',
  '_',
  '~~',
  '`',
  '```',
  '[',
  ']',
  '](https://a.example/',
  ')',
  '![',
  '<',
  '>',
  '</',
  '&',
  ';',
]
const word = fc.stringMatching(/^[a-z]{3,8}$/)
const sign = fc.constantFrom(...BLOCKS, ...WORDS, ' ', ' ', '|', '\\', ': ', '. ', '。', '👍🏽')
const writing = fc.array(fc.tuple(word, sign), { maxLength: 60, size: 'max' })
const limit = fc.integer({ min: 2, max: 90 })
const RUNS = { numRuns: 500 }

test('nothing that can be written makes it throw, or gives what Telegram refuses', () => {
  fc.assert(
    fc.property(anything, limit, (markdown, most) => {
      const whole = formatMarkdown(markdown)
      assert.equal(faultOf(whole), undefined)
      for (const part of messageParts(whole, most)) assert.equal(faultOf(part), undefined)
    }),
    RUNS,
  )
})

test('no word is lost', () => {
  fc.assert(
    fc.property(writing, (pairs) => {
      const { text, entities } = formatMarkdown(pairs.flat().join(''))
      const said = [text, ...entities.flatMap((entity) => Object.values(entity))].join(' ')
      for (const [each] of pairs) assert.ok(said.includes(each), `${each} is missing in ${JSON.stringify(said)}`)
    }),
    RUNS,
  )
})

test('parts have something to say, are within the limit, and say together what the whole says', () => {
  fc.assert(
    fc.property(
      fc.oneof(
        anything,
        writing.map((pairs) => pairs.flat().join('')),
      ),
      limit,
      (markdown, most) => {
        const whole = formatMarkdown(markdown)
        const parts = messageParts(whole, most)
        for (const { text } of parts) assert.ok(text.trim() !== '' && text.length <= most, JSON.stringify(text))
        assert.equal(visibleText(parts.map(({ text }) => text).join('')), visibleText(whole.text))
      },
    ),
    RUNS,
  )
})

test('every stretch keeps its looks through the cuts', () => {
  fc.assert(
    fc.property(writing, limit, (pairs, most) => {
      const whole = formatMarkdown(pairs.flat().join(''))
      assert.deepEqual(messageParts(whole, most).flatMap(looksOf), looksOf(whole))
    }),
    RUNS,
  )
})

test('the first parts of a text that grows stay as they are', () => {
  fc.assert(
    fc.property(
      fc.array(fc.tuple(word, fc.constantFrom(' ', '. ', '\n', '\n\n')), { maxLength: 60, size: 'max' }),
      limit,
      (pairs, most) => {
        const text = pairs.flat().join('')
        const parts = messageParts(formatMarkdown(text), most)
        for (const end of [text.length >> 1, (text.length * 3) >> 2]) {
          const earlier = messageParts(formatMarkdown(text.slice(0, end)), most).slice(0, -1)
          assert.deepEqual(parts.slice(0, earlier.length), earlier)
        }
      },
    ),
    RUNS,
  )
})

/** Signs that are seen, and those that Telegram counts as none left out. */
function visibleText(text: string): string {
  return text.replaceAll(/[\s\p{Cc}\p{Cf}\u115f\u1160\u2800\u3164\uffa0]/gu, '')
}

/** For each code unit that is seen, which formats it has. */
function looksOf({ text, entities }: FormattedText): readonly string[] {
  return Array.from({ length: text.length }, (_, at) => at)
    .filter((at) => visibleText(text[at] ?? '') !== '')
    .map((at) =>
      entities
        .filter(({ offset, length }) => offset <= at && at < offset + length)
        .map((entity) => JSON.stringify({ ...entity, offset: 0, length: 0 }))
        .toSorted()
        .join(' '),
    )
}

/** What Telegram would not take about a text, by the rules of its Bot API. */
function faultOf({ text, entities }: FormattedText): string | undefined {
  if (!text.isWellFormed()) return 'half a character'
  for (const [index, { type, offset, length }] of entities.entries()) {
    const end = offset + length
    const covered = text.slice(offset, end)
    if (offset < 0 || length <= 0 || end > text.length) return `${type} out of the text`
    if (!covered.isWellFormed()) return `${type} cuts a character`
    if (covered.trim() === '' || covered !== covered.trimEnd()) return `${type} ends in white space`
    const keepsLines = type === 'pre' || type === 'blockquote'
    if (!keepsLines && covered !== covered.trimStart()) return `${type} begins in white space`
    const fault = entities
      .slice(index + 1)
      .map((other) => clash(entities[index]!, other))
      .find(Boolean)
    if (fault) return fault
  }
  return undefined
}

function clash(one: FormattedText['entities'][number], other: FormattedText['entities'][number]): string | undefined {
  const end = one.offset + one.length
  if (other.offset < one.offset) return 'not sorted'
  if (other.offset >= end) return undefined
  if (other.offset + other.length > end) return `${one.type} and ${other.type} overlap`
  if (one.type === other.type) return `${one.type} within itself`
  const isSolid = one.type === 'pre' || one.type === 'code'
  const holdsSolid = (other.type === 'pre' || other.type === 'code') && one.type !== 'blockquote'
  return isSolid || holdsSolid ? `${other.type} within ${one.type}` : undefined
}
