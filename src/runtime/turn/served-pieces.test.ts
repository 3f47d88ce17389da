import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { CacheRules } from '../../model.ts'
import type { SealedPiece } from '../calls/seal.ts'
import { servedPieces } from './call-forecast.ts'

const roles = { t: 'tools', s: 'system', u: 'user', a: 'assistant', r: 'tool' } as const

/** A piece for each word: its role, and what tells it from others. */
function pieces(words: string): readonly SealedPiece[] {
  return words.split(' ').map((content, entry) => ({
    entry,
    tokens: 10,
    content,
    role: roles[content.charAt(0) as keyof typeof roles],
    blocks: 1,
    kind: 'prose',
  }))
}

const marked = (marks: CacheRules['marks'], lookBack?: number): CacheRules => ({
  kind: 'marked',
  minimumTokens: 0,
  lifetimeSeconds: 300,
  ...(marks && { marks }),
  ...(lookBack && { lookBack }),
})
const served = (before: string, after: string, rules?: CacheRules) => servedPieces(pieces(before), pieces(after), rules)

test('without marks a request is read up to its first change', () => {
  assert.equal(served('t1 s1 u1', 't1 s1 u1 a1 u2'), 3)
  assert.equal(served('t1 s1 u1 a1 u2', 't1 s1 u1 a1 u3', marked(undefined)), 4)
  assert.equal(served('t1 s1 u1', 't2 s1 u1'), 0)
})

test('a request with marks is read up to the last one that the request before had in what both share', () => {
  const rules = marked(['tools', 'system', 'settled', 'newest'])
  assert.equal(served('t1 s1 u1', 't1 s1 u1 a1 u2', rules), 3, 'it only grew')
  assert.equal(served('t1 s1 u1 a1 u2', 't1 s1 u1 a1 u3', rules), 4, 'the settled end')
  assert.equal(served('t1 s1 u1 a1 u2 a2 u3', 't1 s1 u1 a1 u4', rules), 2, 'a cut leaves the system message')
  assert.equal(served('t1 s1 u1', 't1 s2 u1', rules), 1)
  assert.equal(served('t1 s1 u1', 't1 s2 u1', marked(['newest'])), 0)
})

test('a mark is found only so many blocks before one of the request', () => {
  const grown = `t1 s1 u1 ${'a1 r1 '.repeat(10)}a2 r2`
  assert.equal(
    served('t1 s1 u1', grown, marked(['system', 'newest'], 20)),
    2,
    'only the system message has a mark in both',
  )
  assert.equal(served('t1 s1 u1', grown, marked(['system', 'newest'], 24)), 3)
})

test('where requests mark what was asked, a reminder that moves costs what stands behind the last one', () => {
  const rules = marked(['asked', 'newest'])
  assert.equal(served('s1 u1 a1 u2 u9', 's1 u1 a1 u2 a2 u3 u9', rules), 4)
  assert.equal(served('s1 u1 a1 u2 u9', 's1 u1 a1 u2 a2 u3 u9', marked(['newest'])), 0)
})
