import { mkdirSync } from 'node:fs'
import assert from 'node:assert/strict'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { test } from 'node:test'
import { layout } from '../../src/context.ts'
import type { SealedManifest } from '../../src/runtime/calls/seal.ts'
import { scriptedModel, scriptedModels } from '../../src/testing.ts'
import { gate, type Opened, opened, tool } from './opened.ts'

const words = (count: number, word = 'word') => `${word} `.repeat(count).trim()
const small = { window: 3000, maxOutput: 500 }

/** Says `count` things of some 100 tokens in one session, each with an answer of the same size. */
async function talk({ say }: Opened, count: number, session?: string): Promise<string> {
  let known = session
  for (let n = 1; n <= count; n += 1) {
    known = (await say(`question ${n}: ${words(90)}`, known === undefined ? {} : { session: known })).session
  }
  return known!
}

const talkative = (facts: object) => scriptedModel({ facts, answer: (_, n) => ({ text: `answer ${n}: ${words(90)}` }) })

async function manifests({ runtime }: Opened, session: string): Promise<readonly SealedManifest[]> {
  return (await runtime.store.calls(session)).map(({ manifest }) => manifest as SealedManifest)
}

test('what a preview shows is what the next call sends, byte for byte, before and after a cut', async (t) => {
  const model = talkative(small)
  const look = tool('look', async () => ({ ok: true, output: 'blue' }))
  const at = await opened(t, { model, tools: [look] })
  const { runtime, say, store } = at
  const first = await runtime.preview({ input: 'hello' })
  const { session } = await say('hello')
  assert.equal(JSON.stringify(model.calls[0]?.request), JSON.stringify(first.request))
  let cuts = 0
  for (let n = 1; n <= 20; n += 1) {
    const input = `question ${n}: ${words(90)}`
    const entries = (await store.session(session))?.entries
    const { request, manifest } = await runtime.preview({ session, input })
    assert.equal((await store.session(session))?.entries, entries)
    const { calls } = await say(input, { session })
    assert.equal(JSON.stringify(model.calls[n]?.request), JSON.stringify(request), `turn ${n}`)
    const record = await store.call(calls[0]!)
    assert.equal(record?.requestDigest, (manifest as SealedManifest).requestDigest)
    assert.equal(record?.manifest.used, manifest.used)
    if (manifest.cut) cuts += 1
  }
  assert.ok(cuts > 5)
})

test('calls under a layout that was given as a whole can be built again after it is gone', async (t) => {
  const model = talkative(small)
  const own = layout({ name: 'own', extends: 'onyx', cut: { unit: 'turn', lowWater: 0.5 }, keepsPartialAnswers: false })
  const before = await opened(t, { model, settings: { layout: own } })
  const session = await talk(before, 12)
  assert.deepEqual((await before.store.calls(session))[0]?.manifest.layout, 'own')
  const after = await before.reopened({ model })
  const { calls, identical } = await after.runtime.replay(session)
  assert.deepEqual([calls, identical], [12, 12])
})

test('a preview of input that does not fit is an error with the manifest', async (t) => {
  const { runtime } = await opened(t, { model: scriptedModel({ facts: small }) })
  await assert.rejects(
    runtime.preview({ input: words(9000) }),
    (error: { code: string; facts: { manifest?: unknown } }) => {
      assert.equal(error.code, 'context-overflow')
      assert.ok(error.facts.manifest)
      return true
    },
  )
})

test('every call can be built again: after many turns, tools, cuts, a restart and changed prompt files', async (t) => {
  const look = tool('look', async () => ({ ok: true, output: words(300, 'seen') }))
  const model = scriptedModel({
    facts: small,
    answer: ({ messages }, n) =>
      messages.at(-1)?.role === 'user' && n % 3 === 0
        ? { text: 'I look.', toolCalls: [{ name: 'look', input: { n } }] }
        : { text: `answer ${n}: ${words(60)}` },
  })
  const before = await opened(t, { model, tools: [look] })
  const session = await talk(before, 12)
  mkdirSync(join(before.home, 'context'), { recursive: true })
  await writeFile(join(before.home, 'context', 'system_prompt.md'), 'You are a parrot.')
  assert.deepEqual(await before.runtime.reload(), { warnings: [] })
  await before.clock.advance(86_400_000)
  await talk(before, 6, session)
  const middle = await before.runtime.replay(session)
  assert.deepEqual(middle.different, [])
  assert.equal(middle.identical, middle.calls)
  assert.match(model.calls.at(-1)?.request.system ?? '', /parrot.*2026-01-06/s)

  const after = await before.reopened()
  await talk(after, 6, session)
  const whole = await after.runtime.replay(session)
  assert.deepEqual([whole.different, whole.identical], [[], model.calls.length])
  assert.ok((await manifests(after, session)).filter(({ cut }) => cut).length > 5)
  const calls = await after.store.calls(session)
  for (const [index, { id }] of calls.entries()) {
    const rebuilt = await after.runtime.request(id)
    assert.ok(rebuilt.identical)
    assert.equal(JSON.stringify(rebuilt.request), JSON.stringify(model.calls[index]?.request))
  }
})

test('the digest of a turn in an account covers all that was said in it', async (t) => {
  const model = scriptedModel({ answer: (_, n) => ({ text: n === 3 ? 'Something else.' : 'The same.' }) })
  const { runtime, say } = await opened(t, { model })
  const digests: (string | undefined)[] = []
  for (let session = 1; session <= 3; session += 1) {
    const { session: id, turn } = await say('hello')
    const manifest = (await runtime.preview({ session: id, input: 'And now?' })).manifest as SealedManifest
    digests.push(manifest.entries.find((entry) => entry.id === turn)?.digest)
  }
  const [one, other, changed] = digests
  assert.match(one ?? '', /^[0-9a-f]{64}$/)
  assert.equal(other, one)
  assert.notEqual(changed, one)
})

test('two calls can be compared, and the first difference has a cause', async (t) => {
  const at = await opened(t)
  const { session, calls: one } = await at.say('first')
  const { calls: two } = await at.say('second', { session })
  const same = await at.runtime.diff(one[0]!, one[0]!)
  assert.equal(same.firstDifference, undefined)
  const { firstDifference, commonPrefix, why } = await at.runtime.diff(one[0]!, two[0]!)
  assert.equal(why, 'The conversation went on. Everything before that is as it was.')
  assert.ok(commonPrefix.tokens > 100)
  assert.equal(firstDifference?.cause, 'grew')
  await assert.rejects(at.runtime.diff(one[0]!, 'call_nowhere'), { code: 'not-found' })
  await assert.rejects(at.runtime.request('call_nowhere'), { code: 'not-found' })
})

test('between two cuts every call begins as the one before it ended', async (t) => {
  const at = await opened(t, { model: talkative(small) })
  const session = await talk(at, 40)
  const all = await manifests(at, session)
  let cuts = 0
  for (const [index, manifest] of all.entries()) {
    const before = all[index - 1]
    if (!before) continue
    if (JSON.stringify(manifest.cut) !== JSON.stringify(before.cut)) {
      cuts += 1
      continue
    }
    assert.equal(manifest.reuse?.tokens, before.used, `call ${index + 1}`)
    assert.equal(manifest.reuse?.firstChange?.cause, 'grew')
  }
  assert.ok(cuts >= 2 && cuts <= 8, `${cuts} cuts in 40 turns`)
})

test('what a call can reuse is known after a restart too', async (t) => {
  const before = await opened(t, { model: talkative(small) })
  const session = await talk(before, 3)
  const after = await before.reopened()
  await talk(after, 1, session)
  const all = await manifests(after, session)
  assert.equal(all[3]?.reuse?.tokens, all[2]?.used)
})

test('a model with more room sees again what a smaller one had cut', async (t) => {
  const [little, large] = [
    scriptedModel({ id: 'little', facts: small, answer: () => ({ text: words(90) }) }),
    scriptedModel({ id: 'large', facts: { window: 60_000 }, answer: () => ({ text: words(90) }) }),
  ]
  const at = await opened(t, { models: scriptedModels(little, large) })
  const session = await talk(at, 20)
  assert.ok(little.calls.at(-1)!.request.messages.length < 30)
  await at.say('do you remember?', { session, model: 'large' })
  assert.equal(large.calls[0]?.request.messages.length, 41)
  assert.equal(JSON.stringify(large.calls[0]?.request.messages[0]).includes('question 1:'), true)
  await at.say('and you?', { session })
  assert.ok(little.calls.at(-1)!.request.messages.length < 30)
  assert.deepEqual((await at.runtime.replay(session)).different, [])
})

test('earlier parts of a session can be searched and read, of no other session', async (t) => {
  const asks: { input: unknown }[] = []
  const model = scriptedModel({
    facts: small,
    answer: ({ messages }, n) => {
      const due = asks.at(-1)
      if (due && messages.at(-1)?.role === 'user') return { toolCalls: [{ name: 'read_history', input: due.input }] }
      return { text: `answer ${n}: ${words(90)}` }
    },
  })
  const at = await opened(t, { model })
  await at.say('The secret of the other session is a walrus.')
  const { session } = await at.say('The word of the day is platypus.')
  await talk(at, 20, session)
  assert.doesNotMatch(JSON.stringify(model.calls.at(-1)?.request), /platypus/)
  const ask = async (input: unknown) => {
    asks.push({ input })
    await at.say('look it up', { session })
    return JSON.stringify(model.calls.at(-1)?.request.messages.at(-1))
  }
  assert.match(await ask({ query: 'PLATYPUS word' }), /turn 1 \(user, 2026-01-05.*platypus/i)
  assert.match(await ask({ turn: 1 }), /user: The word of the day is platypus\.\\n\\nassistant: answer 2/)
  assert.match(await ask({ query: 'walrus' }), /Nothing in this conversation has: walrus/)
  assert.match(await ask({ turn: 99 }), /error-text.*no such turn/)
  assert.match(await ask({ turn: 1, query: 'platypus' }), /error-text.*exactly one/)
  assert.match(await ask({}), /error-text.*exactly one/)
  assert.match(await ask({ offset: -1, turn: 1 }), /error-text.*invalid input/)
  assert.deepEqual((await at.runtime.replay(session)).different, [])
})

test('a tool result that was cleared can be read again, page by page', async (t) => {
  const long = `${words(4000, 'alpha')} ${words(100, 'omega')}`
  const look = tool('look', async () => ({ ok: true, output: long }))
  let due: unknown
  const model = scriptedModel({
    facts: { window: 16_000, maxOutput: 500 },
    answer: ({ messages }, n) => {
      if (messages.at(-1)?.role !== 'user') return { text: `answer ${n}: ${words(90)}` }
      if (n === 1) return { toolCalls: [{ id: 'the-call', name: 'look', input: {} }] }
      return due ? { toolCalls: [{ name: 'read_history', input: due }] } : { text: `answer ${n}: ${words(300)}` }
    },
  })
  const at = await opened(t, { model, tools: [look] })
  const { session } = await at.say('look')
  for (let n = 0; n < 30; n += 1) await at.say(`question ${n}: ${words(300)}`, { session })
  assert.doesNotMatch(JSON.stringify(model.calls.at(-1)?.request), /omega/)
  const read = async (input: unknown) => {
    due = input
    await at.say('look it up', { session })
    return JSON.stringify(model.calls.at(-1)?.request.messages.at(-1))
  }
  assert.match(await read({ call: 'the-call' }), /alpha.*\[characters 0 to (\d+) of \d+; go on with offset \1\]/)
  assert.match(await read({ call: 'the-call', offset: 24_000 - 300 }), /alpha.*omega/)
  assert.match(await read({ call: 'no-such-call' }), /no such turn or call/)
})

test('a turn that was taken back is read by no later call, the account names it, and earlier calls stay as they were', async (t) => {
  const model = scriptedModel({
    facts: small,
    answer: ({ messages }, n) =>
      n === 3 && messages.at(-1)?.role === 'user'
        ? { toolCalls: [{ name: 'read_history', input: { query: 'called Petrel Soot' } }] }
        : { text: `answer ${n}` },
  })
  const at = await opened(t, { model })
  const { session, turn: first } = await at.say('my boat is called Petrel')
  const { turn: second } = await at.say('and my cat is called Soot', { session })
  assert.deepEqual(await at.runtime.undo(session), {
    session,
    turn: second,
    text: 'and my cat is called Soot',
    head: first,
  })
  await at.say('what did I tell you?', { session })
  const sent = JSON.stringify(model.calls.at(-1)!.request)
  assert.ok(sent.includes('called Petrel Soot') && sent.includes('boat is called Petrel'), sent)
  assert.ok(!sent.includes('cat is called Soot'), sent)
  const { entries } = (await manifests(at, session)).at(-1)!
  const left = entries.filter(({ reason }) => reason?.code === 'undone')
  assert.deepEqual(
    left.map(({ id, slot, outcome, tokens }) => ({ id, slot, outcome, tokens })),
    [{ id: second, slot: 'history', outcome: 'omitted', tokens: 0 }],
  )
  assert.ok(left[0]!.fullTokens > 0)
  assert.deepEqual(
    (await at.log(session)).filter(({ type }) => type === 'head').map((entry) => 'head' in entry && entry.head),
    [first],
  )
  const again = await at.reopened()
  const replay = await again.runtime.replay(session)
  assert.deepEqual([replay.calls, replay.identical], [4, 4])
})

test('undo works back to the first turn, and the session can start again after it', async (t) => {
  const slow = gate()
  const before = (n: number) => (n === 4 ? slow.passed : undefined)
  const model = scriptedModel({ facts: small, answer: (_, n) => ({ text: `answer ${n}`, before: () => before(n) }) })
  const at = await opened(t, { model })
  const { session } = await at.say('one')
  await at.say('two', { session })
  const [, second] = await Promise.allSettled([at.runtime.undo(session), at.runtime.undo(session)])
  assert.equal(second?.status === 'rejected' && second.reason.code, 'changed', 'of two at once, one takes it back')
  assert.equal((await at.runtime.undo(session)).head, undefined)
  await assert.rejects(at.runtime.undo(session), { code: 'not-found' })
  // A repeat of what was taken back is not answered as if it were in the conversation.
  const keyed = { text: 'keyed', session, idempotencyKey: 'key' }
  const { turn } = await at.say('keyed', keyed)
  assert.equal((await at.runtime.submit(keyed)).turn, turn)
  await at.runtime.undo(session)
  await assert.rejects(at.runtime.submit(keyed), { code: 'key-reused' })
  const submitted = await at.runtime.submit({ session, text: 'three' })
  await assert.rejects(at.runtime.undo(session), { code: 'invalid-input', message: /is running\. Cancel it first/ })
  slow.open()
  await at.ended(submitted)
  const { messages } = model.calls.at(-1)!.request
  assert.deepEqual(
    messages.map(({ role }) => role),
    ['user'],
  )
  const { entries } = (await manifests(at, session)).at(-1)!
  assert.equal(entries.filter(({ id }) => id === 'earlier' || id === 'announcement').length, 0)
})
