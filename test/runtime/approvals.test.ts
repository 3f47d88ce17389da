import assert from 'node:assert/strict'
import test from 'node:test'
import { messageText, outputText, toolResults, unframedResults } from '../../src/context.ts'
import { exportSession, importSession } from '../../src/session.ts'
import { scriptedModel } from '../../src/testing.ts'
import { readAccess, type Tool, type ToolPlan } from '../../src/tool.ts'
import { type Opened, opened, type Setting } from './opened.ts'

test('a turn waits for a person, and the call that was approved is the one that runs', async (t) => {
  const desk = letterDesk()
  const here = await opened(t, { ...asking(), tools: [desk.tool] })
  const turn = await here.runtime.submit({ text: 'Write to Ada.' })
  const [question] = await waiting(here, 1)
  assert.ok(question)
  assert.deepEqual(question.request, {
    tool: 'letter',
    input: { to: 'Ada' },
    argv: ['post', '--to', 'Ada'],
    folder: '/letters',
  })
  assert.deepEqual(desk.sent, [], 'nothing runs before somebody has decided')
  assert.equal((await here.runtime.status()).waiting, 1)

  await here.runtime.decide(question.approval, approve('once', question.digest))
  const view = await here.ended(turn)
  assert.deepEqual(view.outcome, { type: 'completed' })
  assert.deepEqual(desk.sent, ['Ada'])
  assert.deepEqual(await here.runtime.approvals(), [])
  assert.deepEqual(await decisions(here), [
    ['decision', 'asked', 'approval'],
    ['decision', 'approved', 'test'],
    ['decision', 'allowed', `approval, ${question.approval}`],
    ['call', undefined, `approval, ${question.approval}`],
  ])
})

test('a denied call does not run, and the model reads the reason', async (t) => {
  const desk = letterDesk()
  const here = await opened(t, { ...asking(), tools: [desk.tool] })
  const turn = await here.runtime.submit({ text: 'Write to Ada.' })
  const [question] = await waiting(here, 1)
  const decision = { type: 'deny', reason: 'She is on holiday.' } as const
  await here.runtime.decide(question!.approval, { decision, digest: question!.digest, by: 'test' })
  await here.ended(turn)
  assert.deepEqual(desk.sent, [])
  assert.deepEqual(await results(here, turn.session), ['A person has denied this call: She is on holiday.'])
})

test('a restart keeps a turn waiting, and takes an answer that was given before it', async (t) => {
  const desk = letterDesk()
  const before = await opened(t, { ...asking(), tools: [desk.tool] })
  const turn = await before.runtime.submit({ text: 'Write to Ada.' })
  const [asked] = await waiting(before, 1)

  const after = await before.reopened()
  const [still] = await waiting(after, 1)
  assert.deepEqual(still, asked, 'the same question under the same id')
  await after.runtime.decide(still!.approval, approve('once', still!.digest))
  await after.ended(turn)
  assert.deepEqual(desk.sent, ['Ada'])
})

test('a call with another plan after a restart needs a new approval', async (t) => {
  const desk = letterDesk()
  const before = await opened(t, { ...asking(), tools: [desk.tool] })
  await before.runtime.submit({ text: 'Write to Ada.' })
  const [asked] = await waiting(before, 1)
  desk.program = 'courier'
  const after = await before.reopened()
  const [fresh] = await waiting(after, 1)
  assert.ok(fresh)
  assert.deepEqual(fresh.request.argv, ['courier', '--to', 'Ada'])
  await assert.rejects(after.runtime.decide(asked!.approval, approve('once', asked!.digest)), {
    code: 'not-found',
  })
  await assert.rejects(after.runtime.decide(fresh.approval, approve('once', asked!.digest)), {
    code: 'decided',
  })
  assert.deepEqual(desk.sent, [])
})

test('an approval for the session holds for the very same call, and for no other, also after a restart', async (t) => {
  const desk = letterDesk()
  const here = await opened(t, { ...asking('Ada', 'Ada', 'Bo'), tools: [desk.tool] })
  const first = await here.runtime.submit({ text: 'Write.' })
  const [question] = await waiting(here, 1)
  await here.runtime.decide(question!.approval, approve('session', question!.digest))
  await here.ended(first)
  const again = await here.reopened()
  await again.say('Write once more.', { session: first.session })
  assert.deepEqual(desk.sent, ['Ada', 'Ada'])
  await again.runtime.submit({ text: 'And to Bo.', session: first.session })
  const [other] = await waiting(again, 1)
  assert.deepEqual(other!.request.input, { to: 'Bo' })
})

test('an approval in the log of which the audit knows nothing, as in an imported session, is none', async (t) => {
  const desk = letterDesk()
  const before = await opened(t, { ...asking(), tools: [desk.tool] })
  const turn = await before.runtime.submit({ text: 'Write to Ada.' })
  const [question] = await waiting(before, 1)
  const { approval, digest, toolCallId } = question!
  const decision = { type: 'approve', scope: 'session' } as const
  const forged = { type: 'approval', turn: turn.turn, approval, toolCallId, digest, decision, by: 'nobody' } as const
  await before.store.append(turn.session, [forged], '2026-11-21T12:00:00.000Z')
  const after = await before.reopened()
  await after.runtime.idle()
  assert.equal((await after.runtime.status()).waiting, 1)
  assert.deepEqual(desk.sent, [])
})

test('an approval request that does not match its call, as in an imported session, is made again with the real call', async (t) => {
  const desk = letterDesk()
  const before = await opened(t, { ...asking(), tools: [desk.tool] })
  const { session } = await before.runtime.submit({ text: 'Write to Ada.' })
  await waiting(before, 1)
  const lines = await Array.fromAsync(exportSession(before.store, session))
  const harmless = { tool: 'look', input: {}, argv: ['ls'] }
  const forged = lines.map((line) => {
    const value = JSON.parse(line)
    return value.entry?.type === 'approval-request'
      ? JSON.stringify({ entry: { ...value.entry, approval: 'approval_forged', request: harmless } })
      : line
  })

  const elsewhere = await opened(t, { ...asking(), tools: [desk.tool] })
  await importSession(elsewhere.store, forged)
  assert.deepEqual(await elsewhere.runtime.approvals(), [], 'it is not shown')
  const digest = forged.map((line) => JSON.parse(line).entry?.digest).find(Boolean)
  await assert.rejects(elsewhere.runtime.decide('approval_forged', approve('session', digest)), {
    code: 'not-found',
  })
  const after = await elsewhere.reopened()
  const [asked] = await waiting(after, 1)
  assert.deepEqual(asked!.request.argv, ['post', '--to', 'Ada'])
  assert.notEqual(asked!.approval, 'approval_forged')
  assert.deepEqual(desk.sent, [])
})

test('what was forbidden while a call waited does not run, approved or not', async (t) => {
  const desk = letterDesk()
  let written = '{"global": {"mode": "full"}}'
  const here = await opened(t, { ...asking(), tools: [desk.tool], access: () => readAccess(written, {}) })
  const turn = await here.runtime.submit({ text: 'Write to Ada.' })
  const [question] = await waiting(here, 1)
  written = '{"global": {"enabled": false}}'
  await here.runtime.decide(question!.approval, approve('once', question!.digest))
  await here.ended(turn)
  assert.deepEqual(await results(here, turn.session), ['Tools are disabled (enabled=false).'])
  assert.deepEqual(desk.sent, [])
})

test('a call whose plan changed before its approval needs a new approval', async (t) => {
  const desk = letterDesk()
  const here = await opened(t, { ...asking(), tools: [desk.tool] })
  const turn = await here.runtime.submit({ text: 'Write to Ada.' })
  const [question] = await waiting(here, 1)
  desk.program = 'courier'
  await here.runtime.decide(question!.approval, approve('session', question!.digest))
  const [again] = await waiting(here, 1)
  assert.ok(again)
  assert.deepEqual([again.request.argv?.[0], desk.sent], ['courier', []])
  await here.runtime.decide(again.approval, approve('once', again.digest))
  await here.ended(turn)
  assert.deepEqual(desk.sent, ['Ada'])
})

test('two calls under one id, or none, are two questions, and each answer is about its own', async (t) => {
  const desk = letterDesk()
  const calls = ['Ada', 'Bo', 'Cy'].map((to, index) => ({ id: index < 2 ? 'same' : '', name: 'letter', input: { to } }))
  const model = scriptedModel({
    answer: ({ messages }) => (messages.at(-1)?.role === 'tool' ? { text: 'Done.' } : { toolCalls: calls }),
  })
  const here = await opened(t, { model, tools: [desk.tool] })
  const turn = await here.runtime.submit({ text: 'Write.' })
  for (const { approval, digest, request } of await waiting(here, 3)) {
    const { to } = request.input as { to: string }
    const denial = { decision: { type: 'deny', reason: to }, digest, by: 'test' } as const
    await here.runtime.decide(approval, to === 'Bo' ? approve('once', digest) : denial)
  }
  assert.deepEqual((await here.ended(turn)).outcome, { type: 'completed' })
  assert.deepEqual(desk.sent, ['Bo'])
  const read = model.calls.at(-1)!.request.messages.flatMap((message) => toolResults(unframedResults(message)))
  assert.deepEqual(
    read.map(({ toolCallId, output }) => [toolCallId, outputText(output)]),
    [
      ['same', 'A person has denied this call: Ada'],
      ['same-2', 'sent'],
      ['call', 'A person has denied this call: Cy'],
    ],
  )
})

test('a process that is stopped at any moment leaves every question unchanged', async (t) => {
  const desk = letterDesk()
  let here = await opened(t, { ...asking(), tools: [desk.tool] })
  const turns = [await here.runtime.submit({ text: 'Write.' }), await here.runtime.submit({ text: 'Write.' })]
  await waiting(here, 2)
  for (let moments = 0; moments < 8; moments += 1) {
    here = await here.reopened()
    for (let moment = 0; moment < moments; moment += 1) await new Promise((resolve) => setImmediate(resolve))
  }
  for (const { approval, digest } of await waiting(here, 2))
    await here.runtime.decide(approval, approve('once', digest))
  for (const turn of turns) assert.deepEqual((await here.ended(turn)).outcome, { type: 'completed' })
  assert.deepEqual(desk.sent, ['Ada', 'Ada'])
})

test('a second decision, and a decision about an unknown or another call, are rejected', async (t) => {
  const here = await opened(t, { ...asking(), tools: [letterDesk().tool] })
  const turn = await here.runtime.submit({ text: 'Write to Ada.' })
  const [question] = await waiting(here, 1)
  const { approval, digest } = question!
  await assert.rejects(here.runtime.decide('approval_none', approve('once', digest)), { code: 'not-found' })
  await assert.rejects(here.runtime.decide(approval, approve('once', 'another')), { code: 'decided' })
  const both = await Promise.allSettled([
    here.runtime.decide(approval, approve('once', digest)),
    here.runtime.decide(approval, { decision: { type: 'deny' }, digest, by: 'test' }),
  ])
  assert.deepEqual(
    both.map(({ status }) => status),
    ['fulfilled', 'rejected'],
  )
  await here.ended(turn)
})

test('an approval once is for once, in this process and in the next', async (t) => {
  const desk = letterDesk()
  const here = await opened(t, { ...asking('Ada', 'Ada', 'Ada'), tools: [desk.tool] })
  const first = await here.runtime.submit({ text: 'Write.' })
  const { session } = first
  const [once] = await waiting(here, 1)
  await here.runtime.decide(once!.approval, approve('once', once!.digest))
  await here.ended(first)
  const second = await here.runtime.submit({ text: 'Again.', session })
  const [again] = await waiting(here, 1)
  await here.runtime.decide(again!.approval, approve('once', again!.digest))
  await here.ended(second)
  const after = await here.reopened()
  await after.runtime.submit({ text: 'And again.', session })
  await waiting(after, 1)
  assert.deepEqual(desk.sent, ['Ada', 'Ada'])
})

test('an approval for the session holds at once, without a restart', async (t) => {
  const desk = letterDesk()
  const here = await opened(t, { ...asking('Ada', 'Ada'), tools: [desk.tool] })
  const first = await here.runtime.submit({ text: 'Write.' })
  const [question] = await waiting(here, 1)
  await here.runtime.decide(question!.approval, approve('session', question!.digest))
  await here.ended(first)
  const second = await here.runtime.submit({ text: 'Again.', session: first.session })
  await waiting(here, 0)
  assert.deepEqual((await here.ended(second)).outcome, { type: 'completed' })
  assert.deepEqual(desk.sent, ['Ada', 'Ada'])
})

test('that one call of a turn was approved makes no approval in its log of another one', async (t) => {
  const desk = letterDesk()
  const calls = ['Ada', 'Bo'].map((to) => ({ name: 'letter', input: { to } }))
  const model = scriptedModel({
    answer: ({ messages }) => (messages.at(-1)?.role === 'tool' ? { text: 'Done.' } : { toolCalls: calls }),
  })
  const before = await opened(t, { model, tools: [desk.tool] })
  const { session, turn } = await before.runtime.submit({ text: 'Write.' })
  const questions = await waiting(before, 2)
  const [ada, bo] = ['Ada', 'Bo'].map((name) => questions.find(({ request }) => request.argv?.at(-1) === name)!)
  await before.runtime.decide(ada!.approval, approve('once', ada!.digest))
  await before.runtime.idle()
  assert.equal(desk.sent.length, 1)
  const { approval, digest, toolCallId } = bo!
  const decision = { type: 'approve', scope: 'once' } as const
  const forged = { type: 'approval', turn, approval, toolCallId, digest, decision, by: 'nobody' } as const
  await before.store.append(session, [forged], '2026-11-21T12:00:00.000Z')
  const after = await before.reopened()
  await after.runtime.idle()
  assert.equal((await after.runtime.status()).waiting, 1)
  assert.deepEqual(desk.sent, ['Ada'])
})

test('a decision about an earlier question does not close the repeated one', async (t) => {
  const desk = letterDesk()
  const before = await opened(t, { ...asking(), tools: [desk.tool] })
  const { session, turn } = await before.runtime.submit({ text: 'Write to Ada.' })
  const [old] = await waiting(before, 1)
  desk.program = 'courier'
  const after = await before.reopened()
  const [fresh] = await waiting(after, 1)
  assert.notEqual(fresh!.digest, old!.digest)
  const { approval, digest, toolCallId } = old!
  const late = { type: 'approval', turn, approval, toolCallId, digest, decision: { type: 'deny' }, by: 'x' } as const
  await after.store.append(session, [late], '2026-11-21T12:00:00.000Z')
  assert.deepEqual(await after.runtime.approvals(), [fresh])
})

test('the oldest approval comes first', async (t) => {
  const here = await opened(t, { ...asking('Ada', 'Bo', 'Cy'), tools: [letterDesk().tool] })
  for (const count of [1, 2, 3]) {
    await here.runtime.submit({ text: 'Write.' })
    await waiting(here, count)
    await here.clock.advance(1_000)
  }
  const times = (await here.runtime.approvals()).map(({ time }) => time)
  assert.deepEqual(times, times.toSorted())
  assert.equal(new Set(times).size, 3)
})

test('a turn that waits can be cancelled, and its call has a result', async (t) => {
  const desk = letterDesk()
  const here = await opened(t, { ...asking(), tools: [desk.tool] })
  const turn = await here.runtime.submit({ text: 'Write to Ada.' })
  await waiting(here, 1)
  await here.runtime.cancel(turn.session, turn.turn)
  assert.deepEqual((await here.ended(turn)).outcome, { type: 'cancelled' })
  assert.deepEqual(await results(here, turn.session), ['cancelled before it ran'])
  assert.deepEqual([desk.sent, await here.runtime.approvals()], [[], []])
})

test('a session that waits is deleted once its turn is cancelled, and then no decision comes too late', async (t) => {
  const desk = letterDesk()
  const here = await opened(t, { ...asking(), tools: [desk.tool] })
  const turn = await here.runtime.submit({ text: 'Write to Ada.' })
  const { session } = turn
  const [question] = await waiting(here, 1)
  const { approval, digest } = question!
  await assert.rejects(here.runtime.deleteSession(session), { code: 'invalid-input' })
  await here.runtime.cancel(session, turn.turn)
  await here.ended(turn)
  assert.equal(await here.runtime.deleteSession(session), true)
  await assert.rejects(here.runtime.decide(approval, approve('session', digest)), { code: 'not-found' })
  assert.deepEqual([desk.sent, await here.runtime.approvals()], [[], []])
  assert.deepEqual(await here.store.audit({ decision: 'approved' }), [])
  assert.equal((await here.store.audit({ session })).length, 2, 'the audit stays')
})

test('a turn that waits holds no other session up', async (t) => {
  const here = await opened(t, { ...asking('Ada', undefined), tools: [letterDesk().tool] })
  await here.runtime.submit({ text: 'Write to Ada.' })
  await waiting(here, 1)
  assert.deepEqual((await here.say('Hello.')).outcome, { type: 'completed' })
})

test('a turn that waits for a person with several calls leaves the room of one turn', async (t) => {
  const { promise: open, resolve } = Promise.withResolvers<void>()
  t.after(() => resolve())
  const begun: string[] = []
  const model = scriptedModel({
    async answer({ messages }) {
      const text = messageText(messages.at(-1)!)
      if (text.includes('letters'))
        return { toolCalls: ['Ada', 'Bo', 'Cy'].map((to) => ({ name: 'letter', input: { to } })) }
      begun.push(text)
      await open
      return { text: 'Hello.' }
    },
  })
  const here = await opened(t, { model, tools: [letterDesk().tool], settings: { turnsAtOnce: 2 } })
  await here.runtime.submit({ text: 'Write the letters.' })
  await waiting(here, 3)
  const turns = []
  for (const text of ['one', 'two', 'three']) turns.push(await here.runtime.submit({ text }))
  const { running, queued } = await here.runtime.status()
  assert.deepEqual({ running, queued }, { running: 3, queued: 1 })
  resolve()
  for (const turn of turns) await here.ended(turn)
  assert.equal(begun.length, 3)
})

/** A model that writes one letter in each turn, to these people in turn; none for `undefined`. The last one stays. */
function asking(...people: readonly (string | undefined)[]): Pick<Setting, 'model'> {
  let next = 0
  return {
    model: scriptedModel({
      answer: ({ messages }) => {
        if (messages.at(-1)?.role === 'tool') return { text: 'It is written.' }
        const to = people.length === 0 ? 'Ada' : people[next++]
        return to === undefined ? { text: 'Hello.' } : { toolCalls: [{ name: 'letter', input: { to } }] }
      },
    }),
  }
}

/** A tool that asks before it runs, and remembers to whom it wrote. */
function letterDesk() {
  const desk = { sent: [] as string[], program: 'post', tool: undefined as unknown as Tool }
  desk.tool = {
    name: 'letter',
    description: 'Writes a letter.',
    inputSchema: { type: 'object', properties: { to: { type: 'string' } }, required: ['to'] },
    approval: 'ask',
    async plan(input): Promise<ToolPlan> {
      const { to } = input as { to: string }
      return {
        argv: [desk.program, '--to', to],
        folder: '/letters',
        async run() {
          desk.sent.push(to)
          return { ok: true, output: 'sent' }
        },
      }
    },
  }
  return desk
}

function approve(scope: 'once' | 'session', digest: string) {
  return { decision: { type: 'approve', scope }, digest, by: 'test' } as const
}

async function waiting({ runtime }: Opened, count: number) {
  await runtime.idle()
  const all = await runtime.approvals()
  assert.equal(all.length, count)
  return all
}

async function results({ log }: Opened, session: string): Promise<readonly string[]> {
  return (await log(session)).flatMap((entry) => (entry.type === 'tool-end' ? [entry.output] : []))
}

async function decisions({ store }: Opened) {
  return (await store.audit()).map(({ kind, decision, rule }) => [kind, decision, rule])
}
