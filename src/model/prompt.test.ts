import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type AnyMessage, type AssistantMessage, type ImageSupport, TEXT_THINKING } from '../context.ts'
import type { ModelRequest } from './model.ts'
import { toPrompt } from './prompt.ts'

const promptOf = (request: ModelRequest, support: ImageSupport, richResults = true) =>
  toPrompt(request, support, { richResults }).prompt

const seen = { seen: true, inResults: true, byAddress: true }

test('a request becomes a prompt: system first, strings as text parts', () => {
  const messages = [{ role: 'user' as const, content: 'hi' }]
  assert.deepEqual(promptOf({ tools: [], system: 'S', messages }, seen), [
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
  const [message] = promptOf({ tools: [], messages: [{ role: 'user', content: forms }] }, seen)
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
  const [user, tool] = promptOf({ tools: [], messages }, { ...seen, seen: false })
  assert.deepEqual(user?.content, [marker])
  assert.deepEqual(tool?.content, [{ ...result, output: { type: 'content', value: [marker] } }])
})

test('a wire that takes only texts as results has their images in a message of the user right behind them', () => {
  const image = { type: 'image-data' as const, data: 'aGk=', mediaType: 'image/png' }
  const output = { type: 'content' as const, value: [{ type: 'text' as const, text: 'Taken.' }, image] }
  const [result, other] = ['c', 'd'].map((toolCallId) => ({
    type: 'tool-result' as const,
    toolCallId,
    toolName: 't',
    output,
  }))
  const request = { tools: [], messages: [{ role: 'tool' as const, content: [result!, other!] }] }
  const file = { type: 'file', mediaType: 'image/png', data: { type: 'data', data: 'aGk=' } }
  assert.deepEqual(promptOf(request, seen, false), [
    { role: 'tool', content: [result, other].map((each) => ({ ...each, output: { type: 'text', value: 'Taken.' } })) },
    { role: 'user', content: [file, file] },
  ])
  const [tool, ...more] = promptOf(request, { ...seen, seen: false }, false)
  const value = 'Taken.\n[image: this model cannot see images]'
  assert.deepEqual(tool?.content[0], { ...result, output: { type: 'text', value } })
  assert.deepEqual(more, [])
})

test('input that was no JSON goes back under a name, since providers take objects only', () => {
  const call = { type: 'tool-call' as const, toolCallId: 'c', toolName: 't', input: '{"q": "x' }
  const [message] = promptOf({ tools: [], messages: [{ role: 'assistant', content: [call] }] }, seen)
  assert.deepEqual(message?.content, [{ ...call, input: { input: '{"q": "x' } }])
})

test('what a provider wanted back goes back, but reasoning that nothing follows and blank texts do not', () => {
  const reasoning = { type: 'reasoning' as const, text: 'hm', providerOptions: { anthropic: { signature: 's' } } }
  const [blank, text] = [' \n', 'So.'].map((words) => ({ type: 'text' as const, text: words }))
  const content = (...parts: Exclude<AssistantMessage['content'], string>) =>
    promptOf({ tools: [], messages: [{ role: 'assistant', content: parts }] }, seen)[0]?.content
  assert.deepEqual(content(reasoning, blank!, text!, reasoning), [reasoning, text])
  assert.equal(content(reasoning, blank!), undefined)
})

test('an id that a model gives again is another in each answer, and results keep their calls', () => {
  const answer = (...ids: string[]): AnyMessage[] => [
    {
      role: 'assistant',
      content: ids.map((toolCallId) => ({ type: 'tool-call', toolCallId, toolName: 't', input: {} })),
    },
    {
      role: 'tool',
      content: ids.map((toolCallId) => ({
        type: 'tool-result',
        toolCallId,
        toolName: 't',
        output: { type: 'text', value: '' },
      })),
    },
  ]
  const messages = [...answer('c1', 'c1'), ...answer('c1', `call_${'x'.repeat(36)}`)]
  const ids = promptOf({ tools: [], messages }, seen).map(({ content }) =>
    (content as { readonly toolCallId: string }[]).map(({ toolCallId }) => toolCallId),
  )
  assert.deepEqual([ids[0], ids[2]], [ids[1], ids[3]])
  assert.equal(new Set([...ids[0]!, ...ids[2]!]).size, 4)
  assert.ok(ids.flat().every((id) => /^[\w-]{1,40}$/.test(id)))
})

test('an item that came before, or that no server of its API has made, is sent without its id', () => {
  const reasoning = (itemId: string) => ({
    type: 'reasoning' as const,
    text: 'hm',
    providerOptions: { openai: { itemId, reasoningEncryptedContent: 'e' } },
  })
  const text = { type: 'text' as const, text: 'So.' }
  const answer = (...ids: string[]): AnyMessage => ({ role: 'assistant', content: [...ids.map(reasoning), text] })
  const messages = [answer('rs_1', 'rs_1'), answer('rs_1', 'rs_1'), answer('odd id')]
  const ids = promptOf({ tools: [], messages }, seen).map(({ content }) =>
    (content as ReturnType<typeof reasoning>[]).slice(0, -1).map((part) => part.providerOptions.openai.itemId),
  )
  assert.deepEqual(ids, [['rs_1', 'rs_1'], [undefined, undefined], [undefined]])
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
  const [said, answered] = promptOf(
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
  const [said] = promptOf({ tools: [], messages: [{ role: 'assistant', content }] }, seen)
  assert.deepEqual(said?.content, [{ type: 'text', text: 'At six.' }])
})
