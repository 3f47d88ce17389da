import assert from 'node:assert/strict'
import { test } from 'node:test'
import { askModel, type Journal, runTurn, type Step, type TurnSetup } from '../src/agent.ts'
import type { Entry } from '../src/session.ts'
import { scriptedModel, type ScriptedReply } from '../src/testing.ts'
import { createToolbox, type Tool } from '../src/tool.ts'
import { systemClock } from '../src/platform.ts'
import { imageFiles } from './document/files/image-file.ts'

const long = 'x'.repeat(30_000)
const read: Tool = { name: 'read', inputSchema: { type: 'object' }, execute: async () => ({ ok: true, output: long }) }

test('a turn needs a model, an assembly and a journal, and nothing else', async () => {
  const { log, setup } = await begun([{ text: 'Hello.' }])
  assert.deepEqual(await runTurn(setup), { type: 'completed' })
  assert.deepEqual(
    log.map(({ type }) => type),
    ['input', 'message', 'usage', 'turn-end'],
  )
})

test('without a toolbox a tool call gets a failure, and the turn continues', async () => {
  const { log, setup } = await begun([{ toolCalls: [{ name: 'read', input: {} }] }, { text: 'There is none.' }])
  assert.deepEqual(await runTurn(setup), { type: 'completed' })
  const end = log.find((entry) => entry.type === 'tool-end')
  assert.equal(end?.type === 'tool-end' && end.ok, false)
})

test('a result is shown whole where nobody keeps it, and shortened where the journal does', async () => {
  const replies = [{ toolCalls: [{ name: 'read', input: {} }] }, { text: 'Read.' }]
  const tools = { toolbox: createToolbox([read]) }
  const whole = await begun(replies)
  await runTurn({ ...whole.setup, tools })
  assert.equal(outputIn(whole.log).length, long.length)

  const kept: string[] = []
  const short = await begun(replies)
  const journal: Journal = { ...short.setup.journal, keepContent: async (text) => `kept:${kept.push(text)}` }
  await runTurn({ ...short.setup, journal, tools })
  assert.deepEqual(kept, [long])
  assert.ok(outputIn(short.log).length < 25_000)
})

test('an image of a result is kept before the model is sent it, also where the process ends in between', async () => {
  const replies = [{ toolCalls: [{ name: 'look', input: {} }] }, { text: 'A square.' }]
  const bytes = imageFiles['image/png']!(8, 8)
  let output = 'Taken.'
  const look: Tool = { ...read, name: 'look', execute: async () => ({ ok: true, output, images: [{ bytes }] }) }
  const tools = { toolbox: createToolbox([look]) }
  const first = await begun(replies)
  await runTurn({ ...first.setup, tools })
  assert.match(outputIn(first.log), /^Taken\.\n\[left out, look-1\.png: no files are kept here\]$/)

  const { setup, log, model } = await begun(replies)
  const image = { file: 'file_1', kind: 'image', mediaType: 'image/png' } as const
  const journal: Journal = { ...setup.journal, keepImage: async ({ name }) => ({ ...image, name }) }
  const images = () => JSON.stringify(model.calls.at(-1)?.request.messages).match(/"foreword":"file_1"/g)?.length
  output = ''
  await runTurn({ ...setup, tools, journal })
  assert.deepEqual([images(), outputIn(log)], [1, '[look-1.png]'])
  const entries = log.slice(0, log.findIndex(({ type }) => type === 'tool-end') + 1)
  const restarted = scriptedModel({ answer: () => replies[1]! })
  await runTurn({ ...setup, tools, turn: { ...setup.turn, entries }, model: restarted })
  assert.match(JSON.stringify(restarted.calls[0]!.request.messages), /"foreword":"file_1"/)
})

test('what a person would have to decide about is denied where there is none', async () => {
  const asking: Tool = { ...read, approval: 'ask' }
  const gate = async () => ({ type: 'ask', rule: 'tool' }) as const
  const { log, setup } = await begun([{ toolCalls: [{ name: 'read', input: {} }] }, { text: 'No.' }])
  await runTurn({ ...setup, tools: { toolbox: createToolbox([asking], { gate }) } })
  assert.match(outputIn(log), /^A person has denied this call: no person can be asked/)
})

test('a request that is refused as too large is assembled once more, deeper', async () => {
  const steps: Step[] = []
  const { setup } = await begun([
    { fail: { code: 'context-overflow', facts: { limit: 100, sent: 120 } } },
    { text: 'Fits.' },
  ])
  const assemble: TurnSetup['assemble'] = (step) => {
    steps.push(step)
    return { call: `call-${steps.length}`, request: { tools: [], messages: [{ role: 'user', content: 'Hello' }] } }
  }
  assert.deepEqual(await runTurn({ ...setup, assemble }), { type: 'completed' })
  assert.deepEqual(
    steps.map(({ deeper }) => deeper && [deeper.limit, deeper.sent]),
    [undefined, [100, 120]],
  )
})

test('the last step calls no tool, whatever was prepared for it', async () => {
  const { model, setup } = await begun([
    { toolCalls: [{ name: 'read', input: {} }] },
    { text: 'So far.', toolCalls: [{ name: 'read', input: {} }] },
  ])
  const tools = { toolbox: createToolbox([read]) }
  assert.deepEqual(await runTurn({ ...setup, tools, limits: { steps: 2 } }), { type: 'completed' })
  assert.deepEqual(
    model.calls.map(({ options }) => options.toolChoice),
    [undefined, 'none'],
  )
})

test('one question outside every turn hands the calls of tools back', async () => {
  const { setup, model } = await begun([{ toolCalls: [{ name: 'read', input: { n: 1 } }] }])
  const reply = await askModel({ ...setup, turn: { session: '', id: '', entries: [] } })
  assert.equal(reply.type === 'answer' && reply.outcome, undefined)
  assert.equal(model.calls.length, 1)
})

/** A turn that somebody began with one word, and a model that says these things one after the other. */
async function begun(replies: readonly ScriptedReply[]) {
  const log: Entry[] = []
  const model = scriptedModel({ answer: (_, n) => replies[n - 1]! })
  const journal: Journal = {
    async append(bodies) {
      const entries = bodies.map((body, at): Entry => ({ ...body, session: 's', seq: log.length + at + 1, time: '' }))
      log.push(...entries)
      return entries
    },
  }
  const message = { role: 'user', content: 'Hello' } as const
  const entries = await journal.append([
    { type: 'input', turn: 't', message, tokens: { counter: '', full: 0, least: 0 } },
  ])
  let calls = 0
  const setup: TurnSetup = {
    clock: systemClock,
    turn: { session: 's', id: 't', entries },
    model,
    assemble: ({ messages }) => {
      calls += 1
      return { call: `call-${calls}`, request: { tools: [], messages: messages.map((each) => each.message) } }
    },
    journal,
  }
  return { log, model, setup }
}

function outputIn(log: readonly Entry[]): string {
  const end = log.find((entry) => entry.type === 'tool-end')
  return end?.type === 'tool-end' ? end.output : ''
}
