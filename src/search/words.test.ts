import assert from 'node:assert/strict'
import { test } from 'node:test'
import { byReciprocalRank } from './sqlite/search-documents.ts'
import { splitWords } from './words.ts'

test('words are those of the language, in lower case', () => {
  assert.deepEqual(splitWords('Life, again: “Life”!'), ['life', 'again', 'life'])
  assert.deepEqual(splitWords('他住在东京'), ['他', '住在', '东京'])
  assert.deepEqual(splitWords('ภาษาไทย'), ['ภาษา', 'ไทย'])
  assert.deepEqual(splitWords('"*()\0 …'), [])
})

test('a long word of Han or Hangul is followed by its pairs', () => {
  assert.deepEqual(splitWords('학교에서'), ['학교에서', '학교', '교에', '에서'])
})

test('places are combined, values are not', () => {
  const fused = byReciprocalRank([
    {
      by: 'words',
      weight: 1,
      candidates: [
        { number: 1, value: 9_000 },
        { number: 2, value: 1 },
      ],
    },
    {
      by: 'meaning',
      weight: 1,
      candidates: [
        { number: 2, value: 0.2 },
        { number: 3, value: 0.1 },
      ],
    },
  ])
  assert.deepEqual(fused, [
    {
      number: 2,
      score: 1 / 62 + 1 / 61,
      ranks: [
        { by: 'words', rank: 2, value: 1 },
        { by: 'meaning', rank: 1, value: 0.2 },
      ],
    },
    { number: 1, score: 1 / 61, ranks: [{ by: 'words', rank: 1, value: 9_000 }] },
    { number: 3, score: 1 / 62, ranks: [{ by: 'meaning', rank: 2, value: 0.1 }] },
  ])
})
