import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createTurnCache, type CachedTurn } from './history-loader.ts'

test('a cache gives back the very turns that were put there', () => {
  const cache = createTurnCache(100)
  const turn = turnNamed('t1')
  cache.put('s t1', turn, 10)
  assert.equal(cache.get('s t1'), turn)
  assert.equal(cache.get('s t2'), undefined)
})

test('a full cache lets go of what was not asked for the longest', () => {
  const cache = createTurnCache(30)
  for (const id of ['t1', 't2', 't3']) cache.put(id, turnNamed(id), 10)
  cache.get('t1')
  cache.put('t4', turnNamed('t4'), 10)
  assert.deepEqual(held(cache, ['t1', 't2', 't3', 't4']), ['t1', 't3', 't4'])
})

test('a turn larger than the cache is not put there, and drives nothing out', () => {
  const cache = createTurnCache(30)
  cache.put('t1', turnNamed('t1'), 10)
  cache.put('t2', turnNamed('t2'), 31)
  assert.deepEqual(held(cache, ['t1', 't2']), ['t1'])
})

test('what was forgotten makes room', () => {
  const cache = createTurnCache(30)
  for (const name of ['a t1', 'a t2', 'b t1']) cache.put(name, turnNamed(name), 10)
  cache.forget('a ')
  cache.put('b t2', turnNamed('t2'), 20)
  assert.deepEqual(held(cache, ['a t1', 'a t2', 'b t1', 'b t2']), ['b t1', 'b t2'])
})

function turnNamed(id: string): CachedTurn {
  return { turn: { id, messages: [] }, files: [] }
}

function held(cache: ReturnType<typeof createTurnCache>, names: readonly string[]): readonly string[] {
  return names.filter((name) => cache.get(name))
}
