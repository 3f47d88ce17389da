import assert from 'node:assert/strict'
import { test } from 'node:test'
import { array, assert as holds, asyncProperty, constantFrom, nat, record } from 'fast-check'
import { messageText } from '../../src/context.ts'
import { exportSession, importSession, openStore, turnsTo } from '../../src/session.ts'
import { scriptedModel } from '../../src/testing.ts'
import { opened, tool } from './opened.ts'
import { systemClock } from '../../src/platform.ts'

const moves = array(record({ what: constantFrom('say', 'fork', 'go', 'undo'), which: nat(100) }), {
  minLength: 4,
  maxLength: 14,
})

test('in any tree of branches a call reads the turns that lead to it, and replays identically', async (t) => {
  await holds(
    asyncProperty(moves, async (given) => {
      const model = scriptedModel({ answer: (_, n) => ({ text: `answer ${n}` }) })
      const { runtime, say, store } = await opened(t, { model })
      const { session } = await say('said 1')
      let count = 1
      for (const { what, which } of given) {
        const turns = (await store.turns(session)).filter(({ state }) => state !== 'undone')
        const heads = [null, ...turns.map(({ turn }) => turn)]
        const head = heads[which % heads.length]!
        if (what === 'go') await runtime.goOnFrom(session, head)
        else if (what === 'undo') await runtime.undo(session).catch(() => {})
        else {
          const { turn } = await say(`said ${(count += 1)}`, { session, ...(what === 'fork' ? { from: head } : {}) })
          const path = turnsTo(await store.turns(session), turn)
          const sent = JSON.stringify(model.calls.at(-1)!.request.messages)
          const all = await store.entries(session, { types: ['input'] })
          for (const entry of all) {
            if (entry.type !== 'input') continue
            const reads = sent.includes(JSON.stringify(messageText(entry.message)))
            assert.equal(
              reads,
              path.some((row) => row.turn === entry.turn),
              `${turn} reads ${entry.turn}`,
            )
          }
          const { turns: recent } = await store.recentTurns(session, { limit: 1e6 })
          assert.deepEqual(
            recent.map(({ row }) => row.turn),
            path.map((row) => row.turn),
          )
        }
      }
      const { calls, identical } = await runtime.replay(session)
      assert.deepEqual([calls, identical], [count, count])

      const elsewhere = await openStore({ clock: systemClock, path: ':memory:' })
      const lines = await Array.fromAsync(exportSession(store, session))
      await importSession(elsewhere, lines)
      assert.deepEqual(await elsewhere.turns(session), await store.turns(session))
      const limit = { limit: 1e6 }
      assert.deepEqual(await elsewhere.recentTurns(session, limit), await store.recentTurns(session, limit))
      assert.deepEqual(await Array.fromAsync(exportSession(elsewhere, session)), lines)
      await runtime.close()
    }),
    { numRuns: 12 },
  )
})

test('branches are listed with the turn where each leaves that of the head, and its first words', async (t) => {
  const { runtime, say } = await opened(t)
  const first = await say('One.')
  const { session } = first
  const second = await say('Two.', { session })
  const third = await say('Three.', { session })
  const other = await say('Two, but otherwise.', { session, from: first.turn })
  const fresh = await say('Begin again.', { session, from: null })
  await runtime.goOnFrom(session, third.turn)
  assert.deepEqual(
    (await runtime.branches(session)).map(({ leaf, current, after, words, turns }) => [
      leaf,
      current,
      after,
      words,
      turns,
    ]),
    [
      [third.turn, true, second.turn, 'Three.', 3],
      [fresh.turn, false, null, 'Begin again.', 1],
      [other.turn, false, first.turn, 'Two, but otherwise.', 2],
    ],
  )
})

test('a turn that other branches go on from is only left where it is undone', async (t) => {
  const { runtime, say, store } = await opened(t)
  const { session, turn: first } = await say('One.')
  const { turn: second } = await say('Two.', { session })
  await runtime.goOnFrom(session, first)
  assert.deepEqual(await runtime.undo(session), { session, turn: first, text: 'One.', head: undefined })
  assert.equal((await store.turn(session, first))?.state, 'completed')
  assert.deepEqual((await store.recentTurns(session, { limit: 1e6 })).turns, [])
  await runtime.goOnFrom(session, second)
  assert.equal((await runtime.undo(session)).head, first)
  assert.equal((await store.turn(session, second))?.state, 'undone')
  await assert.rejects(runtime.goOnFrom(session, second), { code: 'invalid-input', message: /was undone/ })
  await assert.rejects(runtime.submit({ session, text: 'Three.', from: second }), { code: 'invalid-input' })
  await assert.rejects(runtime.submit({ session, text: 'Three.', from: 'turn-9' }), { code: 'not-found' })
})

test('a model finds and reads nothing of other branches; a person finds everything', async (t) => {
  const model = scriptedModel({
    answer: ({ messages }, n) => {
      const last = messages.at(-1)!
      if (last.role === 'tool') return { text: 'Done.' }
      const asks = JSON.stringify(last.content).includes('Which boat')
      return asks
        ? { toolCalls: [{ id: `c${n}`, name: 'read_history', input: { query: 'boat' } }] }
        : { text: 'Noted.' }
    },
  })
  const { runtime, say, log } = await opened(t, {
    model,
    tools: [tool('look', async () => ({ ok: true, output: '' }))],
  })
  const { session, turn } = await say('Hello.')
  await say('My boat is called Marigold.', { session })
  await say('My boat is called Bluebell.', { session, from: turn })
  await say('Which boat?', { session })
  const ends = (await log(session)).filter((entry) => entry.type === 'tool-end')
  assert.match(ends.at(-1)!.output, /Bluebell/)
  assert.doesNotMatch(ends.at(-1)!.output, /Marigold/)
  const { passages } = await runtime.recall.find({ text: 'Marigold' })
  assert.equal(passages.length > 0, true)
})
