import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createTurnShelf, type ShelvedTurn } from './turn-shelf.ts'

test('a shelf gives back the very turns that were put there', () => {
  const shelf = createTurnShelf(100)
  const turn = turnNamed('t1')
  shelf.put('s t1', turn, 10)
  assert.equal(shelf.get('s t1'), turn)
  assert.equal(shelf.get('s t2'), undefined)
})

test('a full shelf lets go of what was not asked for the longest', () => {
  const shelf = createTurnShelf(30)
  for (const id of ['t1', 't2', 't3']) shelf.put(id, turnNamed(id), 10)
  shelf.get('t1')
  shelf.put('t4', turnNamed('t4'), 10)
  assert.deepEqual(held(shelf, ['t1', 't2', 't3', 't4']), ['t1', 't3', 't4'])
})

test('a turn larger than the shelf is not put there, and drives nothing out', () => {
  const shelf = createTurnShelf(30)
  shelf.put('t1', turnNamed('t1'), 10)
  shelf.put('t2', turnNamed('t2'), 31)
  assert.deepEqual(held(shelf, ['t1', 't2']), ['t1'])
})

test('what was forgotten makes room', () => {
  const shelf = createTurnShelf(30)
  for (const name of ['a t1', 'a t2', 'b t1']) shelf.put(name, turnNamed(name), 10)
  shelf.forget('a ')
  shelf.put('b t2', turnNamed('t2'), 20)
  assert.deepEqual(held(shelf, ['a t1', 'a t2', 'b t1', 'b t2']), ['b t1', 'b t2'])
})

function turnNamed(id: string): ShelvedTurn {
  return { turn: { id, messages: [] }, files: [] }
}

function held(shelf: ReturnType<typeof createTurnShelf>, names: readonly string[]): readonly string[] {
  return names.filter((name) => shelf.get(name))
}
