import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { LanguageModelV4CallOptions, LanguageModelV4Prompt } from '@ai-sdk/provider'
import { createOpenAICompatible } from '@ai-sdk/openai-compatible'
import { systemClock } from '../platform.ts'
import type { ModelRequest } from '../model.ts'
import { fromLanguageModel, type StreamingModel } from './language-model.ts'
import { heldParts, holdLongTexts } from './held-texts.ts'
import type { Fetch } from './wire-fetch.ts'

/** Signs that JSON writes in another way, a surrogate pair where an end is cut, and whitespace at the end. */
const long = `${'x'.repeat(999)}😀${'lamp "é" \\ \u0001\n'.repeat(50_000)}${'y'.repeat(999)}😀 \n`
const messages: ModelRequest['messages'] = [
  { role: 'user', content: long },
  {
    role: 'assistant',
    content: [
      { type: 'text', text: long },
      { type: 'tool-call', toolCallId: 'c', toolName: 'print', input: {} },
    ],
  },
  {
    role: 'tool',
    content: [{ type: 'tool-result', toolCallId: 'c', toolName: 'print', output: { type: 'text', value: long } }],
  },
]

test('the SDK is given no text of megabytes, and the body that leaves is what it would have made of them', async () => {
  const given: LanguageModelV4CallOptions[] = []
  const bodies: string[] = []
  const model = modelOver((fetch) => {
    const sdk = createOpenAICompatible({ name: 'lab', baseURL: 'http://127.0.0.1/v1', fetch })('m') as StreamingModel
    return { doStream: (options) => (given.push(options), sdk.doStream(options)) }
  }, bodies)
  await asked(model, messages)
  await asked(model, messages)
  assert.equal(bodies.length, 2)
  assert.ok(bodies[0] === bodies[1], 'the same call has two bodies')
  assert.ok(JSON.stringify(given[0]).length > 3 * long.length)
  // The first call shows that the model uses the `fetch` in which texts are put back.
  assert.ok(JSON.stringify(given[1]).length < 20_000, `${JSON.stringify(given[1]).length} characters`)
})

test('a model that does not use the given fetch is given every text itself', async () => {
  const given: LanguageModelV4Prompt[] = []
  const model = modelOver(
    () => ({
      async doStream({ prompt }) {
        given.push(prompt)
        throw new Error('not now')
      },
    }),
    [],
  )
  await asked(model, messages)
  await asked(model, messages)
  for (const prompt of given) assert.ok(JSON.stringify(prompt).length > 3 * long.length)
})

test('a model that writes its body in a way of its own is called with the texts themselves', async () => {
  const bodies: string[] = []
  const base64 = (text: string) => Buffer.from(text).toString('base64')
  const model = modelOver(
    (fetch) => ({
      async doStream({ prompt }) {
        await fetch('http://127.0.0.1/v1', { method: 'POST', body: base64(JSON.stringify(prompt)) })
        throw new Error('not now')
      },
    }),
    bodies,
  )
  await asked(model, messages)
  await asked(model, messages)
  assert.equal(bodies.length, 2)
  assert.ok(bodies[0] === bodies[1], 'the second body is another one')
})

test('a text within JSON within JSON is written as often, and a mark that is missing or there twice is none', () => {
  const text = long.trimEnd()
  const prompt: LanguageModelV4Prompt = [{ role: 'user', content: [{ type: 'text', text }] }]
  const held = holdLongTexts({ prompt }, 'id-of-the-call')!
  const written = (prompts: unknown) => JSON.stringify({ inner: JSON.stringify(JSON.stringify({ prompts })) })
  assert.ok([...heldParts(written(held.call.prompt), held)!].join('') === written(prompt), 'another text')
  assert.equal(heldParts(written([held.call.prompt, held.call.prompt]), held), undefined)
  assert.equal(heldParts('{}', held), undefined)
  assert.equal(holdLongTexts({ prompt: [{ role: 'system', content: 'short' }] }, 'id'), undefined)
})

function modelOver(open: (fetch: Fetch) => StreamingModel, bodies: string[]) {
  const facts = { window: 10_000_000, maxOutput: 100, tools: true, vision: false, reasoning: false }
  return fromLanguageModel({
    id: 'lab/m',
    clock: systemClock,
    facts: { ...facts, toolChoiceNone: true, source: 'configuration' },
    open,
    fetch: async (_, init) => {
      bodies.push(new TextDecoder().decode(init!.body as Uint8Array))
      return new Response('no', { status: 400 })
    },
  })
}

/** The call fails: only what leaves is looked at. */
async function asked(model: ReturnType<typeof modelOver>, said: ModelRequest['messages']): Promise<void> {
  const events = model.call({ tools: [], messages: said }, { signal: new AbortController().signal })
  await assert.rejects(async () => {
    for await (const _ of events);
  })
}
