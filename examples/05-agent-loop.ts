/**
 * A turn of an agent without the gateway: the loop of `foreword/agent`, the assembly of `foreword/context`, a journal in
 * memory, and one tool. The model is a scripted one, so that this runs without a key.
 */
import { type Journal, type ModelCall, runTurn, type Step } from 'foreword/agent'
import { assemble, type Layer, layoutOf, tokenx } from 'foreword/context'
import { systemClock } from 'foreword/runtime'
import type { Entry, EntryBody } from 'foreword/session'
import { scriptedModel } from 'foreword/testing'
import { createToolbox, type Tool } from 'foreword/tool'

const layers: readonly Layer[] = [
  { id: 'pilot', layer: 'system-prompt', renditions: [{ form: 'full', text: 'You are a harbour pilot.' }] },
]

const tide: Tool = {
  name: 'tide',
  description: 'The height of the tide in a harbour.',
  inputSchema: { type: 'object', properties: { harbour: { type: 'string' } }, required: ['harbour'] },
  execute: async () => ({ ok: true, output: '2.4 m, rising until 14:10' }),
}
const toolbox = createToolbox([tide])

const log: Entry[] = []
const journal: Journal = {
  async append(bodies: readonly EntryBody[]) {
    const time = new Date().toISOString()
    const entries = bodies.map((body, index): Entry => ({ ...body, session: 's1', seq: log.length + index + 1, time }))
    log.push(...entries)
    return entries
  },
}

let calls = 0
function assembleStep({ messages, last }: Step): ModelCall {
  const { request } = assemble({
    layout: layoutOf('auto'),
    layers,
    history: [],
    current: { id: 't1', messages: messages.map(({ message }) => ({ message })) },
    tools: last ? [] : toolbox.definitions,
    budget: { window: 4_000, reserve: 500 },
    counter: tokenx,
  })
  calls += 1
  return { call: `call-${calls}`, request }
}

const model = scriptedModel({
  answer: (_, n) =>
    n === 1 ? { toolCalls: [{ name: 'tide', input: { harbour: 'Brest' } }] } : { text: 'Enter now: 2.4 m and rising.' },
})

const input = { role: 'user', content: 'Can we enter Brest?' } as const
const entries = await journal.append([
  { type: 'input', turn: 't1', message: input, tokens: { counter: '', full: 0, least: 0 } },
])
const outcome = await runTurn({
  turn: { session: 's1', id: 't1', entries },
  model,
  assemble: assembleStep,
  journal,
  tools: { toolbox },
  output: { show: (delta) => void (delta.type === 'text-delta' && process.stdout.write(delta.text)) },
  clock: systemClock,
})

console.log(`\n${outcome?.type}`)
for (const { type } of log) console.log(type)
