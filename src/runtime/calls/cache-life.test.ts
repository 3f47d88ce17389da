import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { PlacedCall } from '../../context.ts'
import type { CacheRules, Price } from '../../model.ts'
import { type CacheLife, type CacheLifeQuestion, chooseCacheLife, lifeSeconds, rulesAfter } from './cache-life.ts'

const price: Price = { input: 2, cachedInput: 0.2, cacheWrite: 2.5, cacheWriteLonger: 4, output: 10 }
const cache: CacheRules = {
  kind: 'marked',
  minimumTokens: 1024,
  lifetimeSeconds: 300,
  longerSeconds: 3600,
  marks: ['tools', 'system', 'settled', 'newest'],
}

interface Turn {
  /** Minutes since the turn before. */
  readonly gap: number
  readonly added: number
  /** Whether that is cleared when the next turn begins. */
  readonly isCleared?: boolean
}

/** Two calls for each turn, a minute apart, of which the second has what the turn added. */
function asked(head: number, turns: readonly Turn[], gap: number, life?: CacheLife): CacheLifeQuestion {
  let [at, used] = [0, head]
  const recent: PlacedCall[] = []
  for (const [index, turn] of turns.entries()) {
    for (const [minutes, tokens] of [
      [turn.gap, turns[index - 1]?.isCleared ? -turns[index - 1]!.added : 0],
      [1, turn.added],
    ] as const) {
      at += minutes * 60_000
      used += tokens
      const history = used - head
      recent.push({ turn: `t${index}`, model: 'm', at, used, history, input: 0, layers: [], announced: {} })
    }
  }
  const read = { at, ...(life && { life }) }
  return { model: 'm', cache, price, recent, read, turn: 'next', now: at + gap * 60_000 }
}

const every = (gap: number, added: number, times = 6) => Array.from({ length: times }, () => ({ gap, added }))

test('quick turns, and pauses of more than an hour, are kept for five minutes', () => {
  assert.equal(chooseCacheLife(asked(5000, every(1, 500), 2)), undefined)
  assert.equal(chooseCacheLife(asked(5000, every(90, 500), 90)), undefined)
  assert.equal(chooseCacheLife(asked(5000, every(1, 500), 20)), undefined, 'one pause is no habit')
})

test('with pauses between them all is kept for an hour, and only the head where turns add much', () => {
  assert.equal(chooseCacheLife(asked(5000, every(20, 500), 20)), 'all')
  const busy = [1, 20, 1, 20, 1, 1].map((gap) => ({ gap, added: 40_000, isCleared: true }))
  const question = asked(20_000, busy, 1, 'head')
  assert.equal(chooseCacheLife(question), 'head')
})

test('a longer life begins where nothing is cached any more, and calls of one turn ask for the same', () => {
  const pauses = every(20, 500)
  assert.equal(chooseCacheLife(asked(5000, pauses, 1)), undefined)
  assert.equal(chooseCacheLife(asked(5000, pauses, 1, 'all')), 'all')
  assert.equal(chooseCacheLife({ ...asked(5000, every(1, 500), 20, 'head'), turn: 't5' }), 'head')
  assert.equal(chooseCacheLife(asked(5000, every(1, 500), 1, 'all')), undefined, 'the pauses are over')
})

test('nothing is asked of a model without a longer life or without its price', () => {
  const question = asked(5000, every(20, 500), 20)
  const { longerSeconds: _longer, ...short } = cache
  const { cacheWriteLonger: _price, ...cheap } = price
  assert.equal(chooseCacheLife({ ...question, cache: short }), undefined)
  assert.equal(chooseCacheLife({ ...question, price: cheap }), undefined)
  assert.equal(chooseCacheLife({ ...question, model: 'other' }), undefined)
})

test('after five minutes only what was asked to live longer counts', () => {
  assert.deepEqual(rulesAfter(cache, 'head', 600)?.marks, ['tools', 'system'])
  assert.deepEqual(rulesAfter(cache, 'head', 200), cache)
  assert.equal(rulesAfter(cache, 'all', 600)?.lifetimeSeconds, 3600)
  assert.equal(rulesAfter(cache, undefined, 600)?.lifetimeSeconds, 300)
  assert.deepEqual([lifeSeconds(cache, 'head', 'head'), lifeSeconds(cache, 'head', 'history')], [3600, 300])
})
