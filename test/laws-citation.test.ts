import assert from 'node:assert/strict'
import * as fc from 'fast-check'
import { anyCharacter } from './arbitrary/characters.ts'
import test from 'node:test'
import { type CitationPiece, citationReader, citedNumbers } from '../src/citation.ts'
import { joinTexts } from '../src/citation/piece.ts'
import { withDocuments, citationNumbers } from '../src/citation/turn-citations.ts'
import { citedText } from '../src/citation/reader.ts'
import { forAll } from './arbitrary/for-all.ts'

const brackets = [
  '[',
  ']',
  '[[',
  ']]',
  '【',
  '】',
  '［',
  '］',
  '(',
  ')',
  '!',
  '^',
  '1',
  '2',
  '99',
  '１',
  ',',
  ', ',
  '，',
]
const markers = ['[1]', '[[2]]', '[1, 2]', '【1】', '［2］', '[2024]', '[1](https://example.org)', '(https://', '(http']
const code = ['`', '``', '```', '````', '~~~', '~', '\\', 'js', '    ', '\t']
const lines = ['\n', '\n\n', '\r\n', '> ', '- ', '1. ', '# ', '| ', '---', ' ', 'word', '🚢', '\uD83D']

/** What could mean something to the reader, whole and in parts. */
const scraps = [...brackets, ...markers, ...code, ...lines]
const texts = fc.array(fc.constantFrom(...scraps), { maxLength: 40, size: 'max' }).map((parts) => parts.join(''))
const split = fc
  .tuple(fc.oneof(texts, fc.string({ unit: anyCharacter })), fc.array(fc.nat()))
  .map(([text, cuts]) => [text, chunksOf(text, cuts)] as const)

/** No reader can be asked to hold back more than that (`CitationReader`). */
const mostHeldBack = 4000

test('however a text is cut into chunks, the pieces are the same', () => {
  forAll(split, ([text, chunks]) => assert.deepEqual(readIn(chunks), citedText(text, isKnown)), 3000)
})

test('all pieces joined are the text, and every citation is a whole marker of known numbers', () => {
  forAll(
    split,
    ([text, chunks]) => {
      const pieces = readIn(chunks)
      assert.equal(pieces.map((piece) => piece.text).join(''), text)
      for (const piece of pieces) {
        if (piece.type === 'text') continue
        assert.match(piece.text, /^(?:\[[^[\]]+\]|\[\[[^[\]]+\]\]|【[^【】]+】|［[^［］]+］)(?:\(https?:\/\/\S*\))?$/)
        assert.ok(piece.numbers.length > 0 && piece.numbers.every(isKnown))
      }
    },
    3000,
  )
})

test('what is found in plain words is what an expression over the whole text finds', () => {
  const signs = ['[', ']', '[[', ']]', '【', '】', '1', '2', '99', ',', ' ', '[1]', '[[2]]', '[1, 2]', 'word']
  const plain = fc.array(fc.constantFrom(...signs), { maxLength: 30, size: 'max' }).map((parts) => `w${parts.join('')}`)
  const list = ' *\\d+ *(?:, *\\d+ *)*'
  const marker = new RegExp(`\\[\\[${list}\\]\\]|\\[${list}\\]|【${list}】`, 'g')
  forAll(
    plain,
    (text) => {
      const expected = [...text.matchAll(marker)].map(([found]) => found).filter((found) => /\b[12]\b/.test(found))
      const pieces = citedText(text, isKnown).filter((piece) => piece.type === 'citation')
      assert.deepEqual(
        pieces.map((piece) => piece.text),
        expected,
      )
    },
    3000,
  )
})

test('nothing is found in fenced code', () => {
  const fences = fc.constantFrom('`````', '~~~~~')
  forAll(fc.tuple(texts, fences), ([body, fence]) => {
    const inside = body.replaceAll(fence[0]!, '')
    const text = `[1]\n${fence}js\n${inside}\n${fence}\n[2]`
    assert.deepEqual(citedNumbers(citedText(text, isKnown)), [1, 2])
    assert.equal(citedText(text, isKnown).length, 3, text)
    assert.equal(citedText(`${fence}\n${inside}`, isKnown).length, 1)
  })
})

test('nothing is found in a code span', () => {
  forAll(fc.tuple(texts, fc.integer({ min: 1, max: 4 })), ([body, length]) => {
    const ticks = '`'.repeat(length)
    const inside = body.replaceAll(/[`\n\r~]/g, '')
    const text = `see [1] ${ticks} ${inside} ${ticks} [2]`
    assert.deepEqual(
      citedText(text, isKnown)
        .filter((piece) => piece.type === 'citation')
        .map((piece) => piece.text),
      ['[1]', '[2]'],
      text,
    )
  })
})

test('without a known number every text is one text', () => {
  forAll(texts, (text) => {
    assert.deepEqual(
      citedText(text, () => false),
      text === '' ? [] : [{ type: 'text', text }],
    )
  })
})

const hostile: Readonly<Record<string, string>> = {
  'ten thousand brackets': '['.repeat(10_000),
  'brackets in turn': '[[1]'.repeat(5_000),
  'a marker without end': `[${'1,'.repeat(10_000)}`,
  'a number without end': `[${'1'.repeat(20_000)}`,
  'a link without end': `[1](https://${'a'.repeat(20_000)}`,
  'links that begin links': '[1](https://'.repeat(2_000),
  'ten thousand backticks': '`'.repeat(10_000),
  'runs of backticks, each longer': Array.from({ length: 150 }, (_, index) => '`'.repeat(index + 1)).join(' [1] '),
  'code that is never closed': `\`${' [1] '.repeat(4_000)}`,
  'fences that open fences': '```\n[1]\n~~~\n'.repeat(2_000),
  'lines that may open a fence': '``` [1] `\n'.repeat(2_000),
  'ten thousand hashes': '#'.repeat(10_000),
  'ten thousand quotes': '>'.repeat(10_000),
  'ten thousand list marks': '- '.repeat(10_000),
  'list items that go deeper and deeper': Array.from(
    { length: 200 },
    (_, depth) => `${' '.repeat(2 * depth)}- [1]\n`,
  ).join(''),
  backslashes: '\\'.repeat(10_000),
  'spaces in a marker': `[1${' '.repeat(20_000)}]`,
  'the beginning of a line without end': '> - 1. \t'.repeat(3_000),
}

for (const [name, text] of Object.entries(hostile)) {
  test(`every character is looked at once, and little is held back: ${name}`, () => {
    const reader = citationReader(isKnown)
    let looks = 0
    let given = 0
    let mostHeld = 0
    for (let index = 0; index < text.length; index += 7) {
      const chunk = counted(text.slice(index, index + 7), () => (looks += 1))
      given += lengthOf(reader.read(chunk))
      mostHeld = Math.max(mostHeld, Math.min(index + 7, text.length) - given)
    }
    given += lengthOf(reader.end())
    assert.deepEqual({ looks, given }, { looks: text.length, given: text.length })
    assert.ok(mostHeld <= mostHeldBack, `${mostHeld} characters were held back`)
  })
}

test('no reader holds back more than it promises', () => {
  const long = fc.array(fc.constantFrom(...scraps, 'a'.repeat(900), ' [1] '.repeat(300)), {
    maxLength: 30,
    size: 'max',
  })
  forAll(long, (parts) => {
    const reader = citationReader(isKnown)
    let held = 0
    for (const part of parts) {
      held += part.length - lengthOf(reader.read(part))
      assert.ok(held <= mostHeldBack)
    }
  })
})

test('numbers run from 1 without a gap, and never change', () => {
  const documents = fc.array(fc.constantFrom('a', 'b', 'c', 'd', 'e', 'f'), { maxLength: 6 })
  forAll(fc.array(documents, { maxLength: 6 }), (searches) => {
    let numbers = citationNumbers()
    for (const search of searches) {
      const after = withDocuments(numbers, search)
      for (const [document, number] of numbers) assert.equal(after.get(document), number)
      for (const document of search) assert.ok(after.has(document))
      numbers = after
    }
    assert.deepEqual(
      [...numbers.values()],
      [...numbers].map((_, index) => index + 1),
    )
    const entries = [...numbers].map(([document, citation]) => ({ document, citation }))
    assert.deepEqual(citationNumbers(entries), numbers)
  })
})

function isKnown(number: number): boolean {
  return number === 1 || number === 2
}

function chunksOf(text: string, cuts: readonly number[]): readonly string[] {
  const places = [...new Set(cuts.map((cut) => cut % (text.length + 1)))].toSorted((one, other) => one - other)
  return [0, ...places].map((place, index) => text.slice(place, places[index] ?? text.length))
}

function readIn(chunks: readonly string[]): readonly CitationPiece[] {
  const reader = citationReader(isKnown)
  return joinTexts([...chunks.flatMap((chunk) => reader.read(chunk)), ...reader.end()])
}

function lengthOf(pieces: readonly CitationPiece[]): number {
  return pieces.reduce((length, { text }) => length + text.length, 0)
}

/** A text that tells of every look at one of its characters, and can be read in no other way. */
function counted(text: string, onLook: () => void): string {
  const readable = {
    length: text.length,
    charAt(index: number): string {
      onLook()
      return text.charAt(index)
    },
  }
  return readable as unknown as string
}
