import assert from 'node:assert/strict'
import { test } from 'node:test'
import { TEXT_THINKING } from '../context.ts'
import { toPrompt } from './prompt.ts'

const seen = { seen: true, inResults: true, byAddress: true }

test('a request becomes a prompt: system first, strings as text parts', () => {
  const messages = [{ role: 'user' as const, content: 'hi' }]
  assert.deepEqual(toPrompt({ tools: [], system: 'S', messages }, seen), [
    { role: 'system', content: 'S' },
    { role: 'user', content: [{ type: 'text', text: 'hi' }] },
  ])
})

test('images in all their forms become files of one form', () => {
  const forms = [
    { type: 'image' as const, image: 'aGk=', mediaType: 'image/png' },
    { type: 'image' as const, image: 'data:image/png;base64,aGk=', mediaType: 'image/png' },
    { type: 'file' as const, data: 'aGk=', mediaType: 'image/png' },
    { type: 'file' as const, data: { type: 'data' as const, data: 'aGk=' }, mediaType: 'image/png' },
  ]
  const [message] = toPrompt({ tools: [], messages: [{ role: 'user', content: forms }] }, seen)
  const file = { type: 'file', mediaType: 'image/png', data: { type: 'data', data: 'aGk=' } }
  assert.deepEqual(message?.content, [file, file, file, file])
})

test('a model that cannot see reads a marker instead, in results of tools too', () => {
  const image = { type: 'image' as const, image: 'aGk=', mediaType: 'image/png' }
  const output = {
    type: 'content' as const,
    value: [{ type: 'image-data' as const, data: 'aGk=', mediaType: 'image/png' }],
  }
  const result = { type: 'tool-result' as const, toolCallId: 'c', toolName: 't', output }
  const messages = [
    { role: 'user' as const, content: [image] },
    { role: 'tool' as const, content: [result] },
  ]
  const marker = { type: 'text', text: '[image: this model cannot see images]' }
  const [user, tool] = toPrompt({ tools: [], messages }, { ...seen, seen: false })
  assert.deepEqual(user?.content, [marker])
  assert.deepEqual(tool?.content, [{ ...result, output: { type: 'content', value: [marker] } }])
})

test('a wire that takes only texts as results is given their words, and never the JSON of an image', () => {
  const value = [
    { type: 'text' as const, text: 'Taken.' },
    { type: 'image-data' as const, data: 'aGk=', mediaType: 'image/png' },
  ]
  const result = {
    type: 'tool-result' as const,
    toolCallId: 'c',
    toolName: 't',
    output: { type: 'content' as const, value },
  }
  const [tool] = toPrompt({ tools: [], messages: [{ role: 'tool', content: [result] }] }, { ...seen, inResults: false })
  const text = 'Taken.\n[image: this provider takes images in user messages only]'
  assert.deepEqual(tool?.content, [{ ...result, output: { type: 'text', value: text } }])
})

test('input that was no JSON goes back under a name, since providers take objects only', () => {
  const call = { type: 'tool-call' as const, toolCallId: 'c', toolName: 't', input: '{"q": "x' }
  const [message] = toPrompt({ tools: [], messages: [{ role: 'assistant', content: [call] }] }, seen)
  assert.deepEqual(message?.content, [{ ...call, input: { input: '{"q": "x' } }])
})

test('what a provider wanted back goes back', () => {
  const reasoning = { type: 'reasoning' as const, text: 'hm', providerOptions: { anthropic: { signature: 's' } } }
  const [message] = toPrompt({ tools: [], messages: [{ role: 'assistant', content: [reasoning] }] }, seen)
  assert.deepEqual(message?.content, [reasoning])
})

test('what a model made up is sent back in a form that every API accepts, and calls keep their results', () => {
  const names = ['functions.read file:0', 'lire_été', '', 'x'.repeat(100), 'read_file']
  const { content } = {
    content: names.map((name) => ({
      type: 'tool-call' as const,
      toolCallId: `id ${name}`,
      toolName: name,
      input: { a: '\ud83c' },
    })),
  }
  const results = names.map((name) => ({
    type: 'tool-result' as const,
    toolCallId: `id ${name}`,
    toolName: name,
    output: { type: 'text' as const, value: 'ok' },
  }))
  const [said, answered] = toPrompt(
    {
      tools: [],
      messages: [
        { role: 'assistant', content },
        { role: 'tool', content: results },
      ],
    },
    seen,
  )
  const named = (message: typeof said) =>
    (message!.content as { toolCallId: string; toolName: string }[]).map(({ toolCallId, toolName }) => [
      toolCallId,
      toolName,
    ])
  assert.deepEqual(named(said), named(answered))
  assert.equal(new Set(named(said).map(([id]) => id)).size, names.length)
  for (const text of named(said).flat()) assert.match(text, /^[a-zA-Z0-9_-]{1,64}$/)
  assert.equal(named(said).at(-1)![1], 'read_file')
  assert.ok(!JSON.stringify(said).includes('\\ud83c'))
})

test('thinking that a model wrote into its text is not sent again', () => {
  const content = [
    { type: 'reasoning' as const, text: 'a plan', providerOptions: TEXT_THINKING },
    { type: 'text' as const, text: 'At six.' },
  ]
  const [said] = toPrompt({ tools: [], messages: [{ role: 'assistant', content }] }, seen)
  assert.deepEqual(said?.content, [{ type: 'text', text: 'At six.' }])
})
