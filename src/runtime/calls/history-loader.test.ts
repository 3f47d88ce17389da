import assert from 'node:assert/strict'
import { test } from 'node:test'
import { layoutOf, tokenx } from '../../context.ts'
import { type Entry, type LogStore, type TurnRow, withEdits } from '../../session.ts'
import { createTurnCache, type CachedTurn, keepTurn, loadHistory } from './history-loader.ts'

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

test('a turn that has just ended is read by the next one as the log has it, and its messages are not read again', async () => {
  const counted = { counter: 'another', full: 5, least: 5 }
  const at = { session: 's', turn: 't1', time: '2026-11-20T10:00:00.000Z' }
  const log: readonly Entry[] = [
    { ...at, seq: 1, type: 'input', message: { role: 'user', content: 'Hi' }, tokens: counted },
    { ...at, seq: 2, type: 'edit', message: { role: 'user', content: 'Hello' }, tokens: counted },
    { ...at, seq: 3, type: 'turn-start' },
    {
      ...at,
      seq: 4,
      type: 'message',
      message: { role: 'assistant', content: 'Go' },
      tokens: counted,
      partial: 'length',
    },
  ]
  const row = { session: 's', turn: 't1', state: 'completed', inputTime: at.time, tokens: 10 } as TurnRow
  const read: boolean[] = []
  const store: Pick<LogStore, 'recentTurns'> = {
    async recentTurns(_, { known }) {
      read.push(!known!('t1'))
      const messages = withEdits(log).flatMap((entry) =>
        entry.type === 'input' || entry.type === 'message' ? [entry] : [],
      )
      return { turns: [{ row, messages }], earlier: { turns: 0, tokens: 0 }, undone: [] }
    },
  }
  const cache = createTurnCache()
  const reading = { session: 's', counter: tokenx, layout: layoutOf('auto') }
  const next = (kept: ReturnType<typeof createTurnCache> | undefined) =>
    loadHistory(store as LogStore, { ...reading, current: 't2', limit: 1_000, cut: undefined, cache: kept })

  keepTurn(cache, 't1', log, reading)
  assert.deepEqual(await next(cache), await next(undefined))
  assert.deepEqual(read, [false, true])
})

function turnNamed(id: string): CachedTurn {
  return { turn: { id, messages: [] }, files: [] }
}

function held(cache: ReturnType<typeof createTurnCache>, names: readonly string[]): readonly string[] {
  return names.filter((name) => cache.get(name))
}
