import assert from 'node:assert/strict'
import test from 'node:test'
import { nearestName } from './nearest-name.ts'

const names = ['start', 'send', 'sessions', 'context', 'calls']

test('a mistyped name finds the one that was meant', () => {
  assert.equal(nearestName('strat', names), 'start')
  assert.equal(nearestName('session', names), 'sessions')
  assert.equal(nearestName('contxt', names), 'context')
  assert.equal(nearestName('sned', names), 'send')
  assert.equal(nearestName('CONTXT', names), 'context')
})

test('a word that is near to nothing is not guessed at', () => {
  assert.equal(nearestName('banana', names), undefined)
  assert.equal(nearestName('x', names), undefined)
})
