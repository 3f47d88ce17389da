import assert from 'node:assert/strict'
import { test } from 'node:test'
import { messageTokens, tokenx, toolTokens } from '../../src/context.ts'
import type { ModelRequest } from '../../src/model.ts'
import type { CallRecord } from '../../src/session.ts'
import { type ScriptedModel, scriptedModel } from '../../src/testing.ts'
import { type Opened, opened, tool } from './opened.ts'

/** What a provider counts for one token of ours, and the margin that an operator has set, if any: tokens of 6,000. */
const providers = [
  { factor: 1 },
  { factor: 1.15 },
  { factor: 1.3 },
  { factor: 1.45 },
  { factor: 1.5 },
  { factor: 1, margin: 0 },
  { factor: 1, margin: 3_000 },
] as const

for (const { factor, ...settings } of providers) {
  const name = `a provider that counts ${factor} × of our counter${'margin' in settings ? `, margin ${settings.margin}` : ''}`

  test(`between two cuts a call begins with the messages of the one before: ${name}`, async (t) => {
    const model = scriptedModel({
      facts: { window: 8_000 },
      answer: (request) => ({ text: answer, ...billed(request, factor) }),
    })
    const at = await opened(t, { model, settings })
    let session: string | undefined
    for (let turn = 0; turn < 40; turn++) session = (await at.say(question(turn), session ? { session } : {})).session
    await assertSteady(at, model, session!, 10)
  })

  test(`within a long tool turn too: ${name}`, async (t) => {
    const model = scriptedModel({
      facts: { window: 8_000 },
      answer: (request, n) => {
        const loops = request.messages.at(-1)?.role === 'tool' || n === 7
        const calls = loops && n < 45 ? { toolCalls: [{ name: 'read', input: { page: n } }] } : { text: answer }
        return { ...calls, ...billed(request, factor) }
      },
    })
    const read = tool('read', async () => ({ ok: true, output: 'A line of the page that was read. '.repeat(40) }))
    const at = await opened(t, { model, tools: [read], settings: { ...settings, maxSteps: 60 } })
    let session: string | undefined
    for (let turn = 0; turn < 12; turn++) session = (await at.say(question(turn), session ? { session } : {})).session
    assert.ok(model.calls.length > 45)
    await assertSteady(at, model, session!, 18)
  })
}

test('the low-water mark is a share of the whole room of a call, whatever the current turn takes of it', async (t) => {
  const model = scriptedModel({ facts: { window: 8_000 }, answer: () => ({ text: answer }) })
  const at = await opened(t, { model })
  let session: string | undefined
  for (let turn = 0; turn < 70; turn++) {
    const text = `${question(turn)} ${'And think of this as well. '.repeat(turn % 3 === 0 ? 60 : 1)}`
    session = (await at.say(text, session ? { session } : {})).session
  }
  const calls = await callsOf(at, session!)
  const cuts = calls.filter((call, index) => index > 0 && marksOf(call) !== marksOf(calls[index - 1]!))
  assert.ok(cuts.length > 2)
  for (const { manifest } of cuts) {
    const note = manifest.entries.find(({ id }) => id === 'announcement')?.tokens ?? 0
    assert.ok(manifest.used - note <= manifest.budget.available / 2, String(manifest.used))
  }
})

for (const notes of ['off', 'index', 'model'] as const) {
  test(`a message of half the window that leads to tool calls is answered, with notes ${notes}`, async (t) => {
    const model = scriptedModel({
      facts: { window: 8_000 },
      answer({ messages }) {
        const asks = JSON.stringify(messages.at(-1)).includes('Please look it up.')
        return asks ? { toolCalls: [{ name: 'read', input: {} }] } : { text: answer }
      },
    })
    const read = tool('read', async () => ({ ok: true, output: 'A line of the page that was read. '.repeat(40) }))
    const at = await opened(t, { model, tools: [read], settings: { notes } })
    const { session } = await at.say(question(0))
    for (let turn = 1; turn < 12; turn++) await at.say(question(turn), { session })
    for (const size of [300, 400, 500, 600]) {
      const text = `About ${size}: ${'And think of this as well. '.repeat(size)} Please look it up.`
      const { outcome } = await at.say(text, { session })
      assert.equal(outcome?.type, 'completed', JSON.stringify(outcome))
      assert.equal((await at.say(question(size), { session })).outcome?.type, 'completed')
    }
    const calls = await callsOf(at, session)
    const isCutAtItself = calls.some(({ turn, manifest }) => turn !== undefined && manifest.cut?.dropBefore === turn)
    assert.ok(isCutAtItself || notes === 'off', 'a cut was at the turn that was answered')
    for (const { manifest } of calls) {
      const ids = manifest.entries.map(({ id }) => id)
      assert.equal(new Set(ids).size, ids.length)
    }
    assert.deepEqual((await at.runtime.replay(session)).different, [])
  })
}

test('the readers of history and results are offered from the first call on, so that no cut changes the head', async (t) => {
  const model = scriptedModel({ facts: { window: 4_000 }, answer: () => ({ text: answer }) })
  const at = await opened(t, { model })
  let session: string | undefined
  for (let turn = 0; turn < 20; turn++) session = (await at.say(question(turn), session ? { session } : {})).session
  const offered = model.calls.map(({ request }) => request.tools.map(({ name }) => name).join(' '))
  assert.deepEqual([...new Set(offered)], ['read_result read_history'])
  assert.ok((await cutsOf(at, session!)).length > 1)
})

for (const { grows, forgotten } of [
  { grows: 1.5, forgotten: false },
  { grows: 1.52, forgotten: true },
]) {
  test(`a room ${grows} times as large ${forgotten ? 'forgets a cut' : 'keeps it'}, whatever the margins`, async (t) => {
    const facts = { maxOutput: 1_000, window: 5_000 }
    const settings = { reserve: 1_000, margin: 1_600 }
    const at = await opened(t, { model: scriptedModel({ facts, answer: () => ({ text: answer }) }), settings })
    let session: string | undefined
    for (let turn = 0; turn < 20; turn++) session = (await at.say(question(turn), session ? { session } : {})).session
    assert.ok((await cutsOf(at, session!)).length > 0)
    const larger = scriptedModel({
      facts: { ...facts, window: 1_000 + 4_000 * grows },
      answer: () => ({ text: answer }),
    })
    for (const margin of [0, 100]) {
      const after = await at.reopened({ model: larger, settings: { ...settings, margin } })
      const { manifest } = await after.runtime.preview({ session: session!, input: 'hello' })
      const before = (await cutsOf(after, session!)).at(-1)
      assert.equal(JSON.stringify(manifest.cut) !== JSON.stringify(before), forgotten)
      await after.runtime.close()
    }
  })
}

/** Every call that kept the marks begins with the messages of the one before, and few calls make new ones. */
async function assertSteady(at: Opened, model: ScriptedModel, session: string, mostCuts: number): Promise<void> {
  const calls = await callsOf(at, session)
  assert.equal(calls.length, model.calls.length)
  const requests = model.calls.map(({ request }) => request)
  let cuts = 0
  for (const [index, call] of calls.entries()) {
    if (index === 0) continue
    const before = calls[index - 1]!
    if (marksOf(call) !== marksOf(before)) {
      cuts += 1
      continue
    }
    const was = requests[index - 1]!.messages
    assert.deepEqual(requests[index]!.messages.slice(0, was.length), was)
    assert.deepEqual(requests[index]!.tools, requests[index - 1]!.tools)
    assert.equal(requests[index]!.system, requests[index - 1]!.system)
  }
  assert.ok(cuts > 0, 'the law was not put to the test')
  assert.ok(cuts <= mostCuts, `${cuts} cuts in ${calls.length} calls`)
}

const answer = 'That is a matter on which the north wind and the sun never agreed. '.repeat(8)

function question(turn: number): string {
  return `Question ${turn}: ${'what did the north wind say to the sun? '.repeat(10)}`
}

function marksOf({ manifest }: CallRecord): string {
  return JSON.stringify(manifest.cut) ?? ''
}

function callsOf({ store }: Opened, session: string): Promise<readonly CallRecord[]> {
  return store.calls(session)
}

async function cutsOf({ store }: Opened, session: string) {
  const entries = await store.entries(session, { types: ['cut'] })
  return entries.flatMap((entry) => (entry.type === 'cut' ? [entry.cut] : []))
}

function billed({ tools, system, messages }: ModelRequest, factor: number) {
  let tokens = system === undefined ? 0 : tokenx.perMessage + tokenx.text(system)
  for (const each of tools) tokens += toolTokens(tokenx, each)
  for (const message of messages) tokens += messageTokens(tokenx, message)
  return { usage: { promptTokens: Math.round(tokens * factor) } }
}
