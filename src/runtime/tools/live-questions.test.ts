import assert from 'node:assert/strict'
import test from 'node:test'
import { createLiveQuestions } from './live-questions.ts'

const question = {
  call: 'call_1',
  program: 'plain-script',
  rule: 'budgets',
  request: { tool: 'model', input: {} },
  sentence: 'This call may cost $0.11.',
  raise: 'Raises the limit.',
}

/** Questions over a store whose disk can be full. */
function opened() {
  const disk = { isFull: false }
  const store = {
    async transaction() {
      if (disk.isFull) throw new Error('The disk is full.')
      return []
    },
  }
  let ids = 0
  const clock = { time: () => '2026-11-24T12:00:00.000Z', newId: (kind: string) => `${kind}_${(ids += 1)}` }
  return { disk, questions: createLiveQuestions({ store, clock } as never) }
}

const asked = () => new Promise((resolve) => setImmediate(resolve))

test('a decision that cannot be written does not count, and the call can be decided again', async () => {
  const { disk, questions } = opened()
  const decided = questions.ask(question, new AbortController().signal)
  await asked()
  const [{ approval, digest } = assert.fail()] = questions.waiting()
  const decision = { decision: { type: 'approve', scope: 'once' }, digest, by: 'cli' } as const
  disk.isFull = true
  await assert.rejects(questions.decide(approval, decision), /disk is full/)
  assert.equal(questions.waiting().length, 1)
  disk.isFull = false
  assert.equal(await questions.decide(approval, decision), true)
  assert.deepEqual(await decided, { approval, decision: decision.decision })
})

test('a program that leaves while its decision cannot be written is not waited for', async () => {
  const { disk, questions } = opened()
  const left = new AbortController()
  const decided = questions.ask(question, left.signal)
  await asked()
  const [{ approval, digest } = assert.fail()] = questions.waiting()
  disk.isFull = true
  const writing = questions.decide(approval, { decision: { type: 'deny' }, digest, by: 'cli' })
  left.abort()
  await assert.rejects(writing, /disk is full/)
  assert.equal(await decided, undefined)
  assert.deepEqual(questions.waiting(), [])
})
