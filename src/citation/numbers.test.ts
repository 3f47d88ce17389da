import assert from 'node:assert/strict'
import test from 'node:test'
import { withDocuments, citationNumbers } from './turn-citations.ts'

test('project documents get 1 to n, and each search continues from the highest', () => {
  const project = withDocuments(citationNumbers(), ['plan.md', 'list.md'])
  const search = withDocuments(project, ['tides.md', 'lights.md'])
  const web = withDocuments(search, ['https://example.org'])
  assert.deepEqual(
    [...web],
    [
      ['plan.md', 1],
      ['list.md', 2],
      ['tides.md', 3],
      ['lights.md', 4],
      ['https://example.org', 5],
    ],
  )
})

test('a document seen before keeps its number, and chunks of one document share one', () => {
  const first = withDocuments(citationNumbers(), ['a', 'b', 'a'])
  assert.deepEqual([...first.values()], [1, 2])
  const second = withDocuments(first, ['c', 'b', 'c'])
  assert.deepEqual([second.get('b'), second.get('c')], [2, 3])
})

test('giving numbers leaves the numbers that were there as they are', () => {
  const before = withDocuments(citationNumbers(), ['a'])
  withDocuments(before, ['b'])
  assert.deepEqual([...before], [['a', 1]])
})

test('the numbers of a turn are found again in its sources', () => {
  const numbers = citationNumbers([
    { document: 'b', citation: 2 },
    { document: 'a', citation: 1 },
    { document: 'b', citation: 2 },
    { document: 'b', citation: 7 },
  ])
  assert.equal(numbers.get('b'), 2)
  assert.equal(withDocuments(numbers, ['c']).get('c'), 3)
})

test('a turn starts at 1 whatever the turn before it has cited', () => {
  assert.equal(withDocuments(citationNumbers(), ['seen in another turn']).get('seen in another turn'), 1)
})

test('searches side by side are numbered in the order of their calls, each document once', () => {
  const found = [
    ['x', 'y'],
    ['y', 'z'],
  ]
  assert.deepEqual(
    [...found.reduce(withDocuments, citationNumbers())],
    [
      ['x', 1],
      ['y', 2],
      ['z', 3],
    ],
  )
})
