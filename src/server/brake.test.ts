import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { AuditFacts } from '../session.ts'
import { fixedClock } from '../testing.ts'
import { createBrake } from './brake.ts'
import { HttpFailure } from './failure.ts'

function braked() {
  const clock = fixedClock({ start: '2026-03-10T12:00:00.000Z' })
  const records: { facts: AuditFacts; time: string }[] = []
  const brake = createBrake({ record: async (facts, time) => void records.push({ facts, time }), clock })
  const refusal = new HttpFailure('unauthorized', 'The token is wrong.')
  /** The code of the answer once there is one. */
  const tried = (address: string) => {
    const answer: { code?: string; retryAfter?: string | undefined; after?: number } = {}
    const began = clock.now()
    const wait = async (): Promise<void> => {
      const { failure } = await brake.refuse(address, refusal)
      answer.code = failure.code
      answer.retryAfter = failure.headers['retry-after']
      answer.after = clock.now() - began
    }
    void wait()
    return answer
  }
  /** Lets what has come be answered: a refusal after a quiet time lets other work run first. */
  const soon = async (): Promise<void> => {
    for (let turn = 0; turn < 3; turn += 1) await clock.yield()
  }
  /** Lets so many milliseconds pass, and all that follows from them. */
  const pass = async (milliseconds: number): Promise<void> => {
    await clock.advance(milliseconds)
    await soon()
  }
  return { brake, clock, tried, soon, pass, records }
}

test('the first wrong tokens are answered at once, and each further one waits longer, up to ten seconds', async () => {
  const { tried, soon, pass } = braked()
  const waits: number[] = []
  for (let count = 0; count < 13; count += 1) {
    const answer = tried('10.0.0.1')
    await soon()
    if (answer.code === undefined) await pass(10_000)
    assert.equal(answer.code, 'unauthorized')
    waits.push(answer.after!)
  }
  assert.deepEqual(waits, [0, 0, 0, 0, 0, 250, 500, 1_000, 2_000, 4_000, 8_000, 10_000, 10_000])
})

test('those who do not wait for the answer are refused with the time to wait', async () => {
  const { tried, soon, pass } = braked()
  const answers = Array.from({ length: 20 }, () => tried('10.0.0.1'))
  await soon()
  assert.deepEqual(
    answers.map(({ code }) => code ?? 'waits'),
    [
      ...Array<string>(5).fill('unauthorized'),
      ...Array<string>(4).fill('waits'),
      ...Array<string>(11).fill('too-many-attempts'),
    ],
  )
  assert.deepEqual([answers[9]!.retryAfter, answers[19]!.retryAfter], ['4', '10'])
  await pass(10_000)
  assert.ok(answers.every(({ code }) => code !== undefined))
})

test('a caller who waits when the gateway stops is answered at once', async () => {
  const { brake, tried, soon } = braked()
  const answers = Array.from({ length: 9 }, () => tried('10.0.0.1'))
  await soon()
  assert.equal(answers.filter(({ code }) => code === undefined).length, 4)
  brake.release()
  await soon()
  assert.ok(answers.every(({ code }) => code === 'unauthorized'))
})

test('another address does not wait, until there are many of them', async () => {
  const { tried, soon, pass } = braked()
  for (let count = 0; count < 10; count += 1) tried('10.0.0.1')
  await pass(10_000)
  const other = tried('10.0.0.2')
  await soon()
  assert.equal(other.after, 0)
  const many = Array.from({ length: 200 }, (_, at) => tried(`10.0.1.${at}`))
  await soon()
  assert.equal(many.filter(({ code }) => code === 'unauthorized').length, 39)
  assert.equal(many.filter(({ code }) => code === undefined).length, 64)
  assert.equal(many.filter(({ code }) => code === 'too-many-attempts').length, 97)
})

test('after a minute without a wrong token an address is answered at once again', async () => {
  const { tried, soon, pass } = braked()
  for (let count = 0; count < 10; count += 1) tried('10.0.0.1')
  await pass(60_000)
  const answer = tried('10.0.0.1')
  await soon()
  assert.deepEqual([answer.code, answer.after], ['unauthorized', 0])
})

test('a burst is one record, with its count, its addresses, its first and its last time', async () => {
  const { tried, pass, records } = braked()
  for (let count = 0; count < 4_000; count += 1) tried(count % 2 ? '10.0.0.1' : '10.0.0.2')
  await pass(30_000)
  tried('10.0.0.1')
  await pass(59_999)
  assert.equal(records.length, 0)
  await pass(1)
  const reason =
    '4001 wrong tokens from 10.0.0.2, 10.0.0.1, first 2026-03-10T12:00:00.000Z, last 2026-03-10T12:00:30.000Z'
  const facts = { kind: 'decision', decision: 'refused', rule: 'token', reason }
  assert.deepEqual(records, [{ facts, time: '2026-03-10T12:01:30.000Z' }])
  tried('10.0.0.3')
  await pass(60_000)
  assert.match(records.at(1)!.facts.reason!, /^1 wrong token from 10\.0\.0\.3, /)
  assert.equal(records.length, 2)
})

test('a burst that does not end is recorded every hour, and what is left when the gateway stops', async () => {
  const { brake, tried, pass, records } = braked()
  for (let minute = 0; minute < 130; minute += 1) {
    tried('10.0.0.1')
    await pass(59_000)
  }
  assert.equal(records.length, 2)
  await brake.settle()
  assert.equal(records.length, 3)
  const counts = records.map(({ facts }) => Number.parseInt(facts.reason!, 10))
  assert.equal(
    counts.reduce((sum, count) => sum + count, 0),
    130,
  )
  await brake.settle()
  assert.equal(records.length, 3)
})

test('refusals of many at once are in slices, and other work comes between them', async () => {
  let moment = 0
  const clock = { ...fixedClock(), monotonic: () => (moment += 1) }
  const brake = createBrake({ record: async () => {}, clock })
  const refusal = new HttpFailure('unauthorized', 'The token is wrong.')
  const state = { isOver: false, turns: 0 }
  const all = Promise.all(Array.from({ length: 50 }, (_, n) => brake.refuse(`10.0.0.${n}`, refusal)))
  void all.then(() => (state.isOver = true))
  for (; !state.isOver; state.turns += 1) await new Promise(setImmediate)
  assert.ok(state.turns >= 4, String(state.turns))
})
