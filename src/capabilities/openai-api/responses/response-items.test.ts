import assert from 'node:assert/strict'
import { test } from 'node:test'
import * as fc from 'fast-check'
import type { AnyMessage, ToolOutput } from '../../../context.ts'
import { callerMessages } from '../../../server.ts'
import { formatReaders, ignoredIn } from '../../../wire.ts'
import { readableItem } from './response-tools.ts'
import type { ResponseItem } from './response-schema.ts'

const PIXEL = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=='

function itemMessages(items: readonly ResponseItem[]) {
  const parts = [...formatReaders.responses.parts({ input: items.map(readableItem) })]
  const orphan = (id: string) => `No tool call found for function call output with call_id ${id}`
  return { messages: callerMessages(parts, 'input', { orphan, joinsItems: true }), left: ignoredIn(parts) }
}

const user = (content: unknown): ResponseItem => ({ type: 'message', role: 'user', content })
const assistant = (...texts: readonly string[]): ResponseItem => ({
  type: 'message',
  role: 'assistant',
  content: texts.map((text) => ({ type: 'output_text', text })),
})
const call = (id: string, name: string, input: object): ResponseItem => ({
  type: 'function_call',
  call_id: id,
  name,
  arguments: JSON.stringify(input),
})
const output = (id: string, value: unknown): ResponseItem => ({
  type: 'function_call_output',
  call_id: id,
  output: value,
})

test('items, as messages and back, lose nothing that has a place', () => {
  fc.assert(
    fc.property(conversation(), (items) => {
      const { messages, left } = itemMessages(items)
      assert.deepEqual(messages.flatMap(itemsOf), items)
      assert.deepEqual(left, [])
    }),
    { numRuns: 2_000 },
  )
})

test('every call stands before its result, and nothing but results between', () => {
  fc.assert(
    fc.property(conversation(), (items) => {
      const { messages } = itemMessages(items)
      for (const [at, message] of messages.entries()) {
        if (message.role !== 'tool') continue
        const before = messages[at - 1]!
        const called = typeof before.content === 'string' ? [] : before.content
        const ids = called.flatMap((part) => (part.type === 'tool-call' ? [part.toolCallId] : []))
        const answered = message.content.flatMap((part) => (part.type === 'tool-result' ? [part.toolCallId] : []))
        assert.deepEqual(answered, ids)
      }
    }),
  )
})

test('a text behind a call is of the step of the call, and one before another text is a step of its own', () => {
  const input = { at: 'sky' }
  const called = (id: string) => ({ type: 'tool-call' as const, toolCallId: id, toolName: 'look', input })
  const { messages } = itemMessages([
    assistant('First.'),
    assistant('Second.'),
    call('a', 'look', input),
    assistant('I look.'),
    call('b', 'look', input),
    output('b', 'far'),
    output('a', 'blue'),
  ])
  assert.deepEqual(messages, [
    { role: 'assistant', content: 'First.' },
    {
      role: 'assistant',
      content: [{ type: 'text', text: 'Second.' }, called('a'), { type: 'text', text: 'I look.' }, called('b')],
    },
    {
      role: 'tool',
      content: ['b', 'a'].map((toolCallId) => ({
        type: 'tool-result',
        toolCallId,
        toolName: 'look',
        output: { type: 'text', value: toolCallId === 'a' ? 'blue' : 'far' },
      })),
    },
  ])
})

test('what OpenAI itself did becomes a text of the model', () => {
  const { messages } = itemMessages([
    user('Who won?'),
    { type: 'web_search_call', id: 'ws_1', status: 'completed', action: { type: 'search', query: 'who won' } },
    assistant('Ann.'),
  ])
  assert.deepEqual(messages, [
    { role: 'user', content: 'Who won?' },
    { role: 'assistant', content: '[web_search_call] {"action":{"type":"search","query":"who won"}}' },
    { role: 'assistant', content: 'Ann.' },
  ])
})

test('calls that the client runs in forms of their own keep their input and their output', () => {
  const action = { type: 'exec', command: ['ls'], env: {} }
  const operation = { type: 'delete_file', path: 'a.txt' }
  const { messages, left } = itemMessages([
    { type: 'local_shell_call', id: 'lsh_1', call_id: 'a', status: 'completed', action },
    { type: 'local_shell_call_output', id: 'lsh_1', output: 'a.txt' },
    { type: 'apply_patch_call', call_id: 'b', status: 'completed', operation },
    { type: 'apply_patch_call_output', call_id: 'b', status: 'failed', output: 'no such file' },
  ])
  assert.deepEqual(left, [])
  assert.deepEqual(messages, [
    { role: 'assistant', content: [{ type: 'tool-call', toolCallId: 'a', toolName: 'local_shell', input: action }] },
    toolMessage('a', 'local_shell', { type: 'text', value: 'a.txt' }),
    { role: 'assistant', content: [{ type: 'tool-call', toolCallId: 'b', toolName: 'apply_patch', input: operation }] },
    toolMessage('b', 'apply_patch', { type: 'error-text', value: 'no such file' }),
  ])
})

test('an output finds its call by the id of the call, and by that of its item', () => {
  const made = { ...call('a', 'look', {}), id: 'fc_1' }
  for (const named of [{ call_id: 'a' }, { id: 'fc_1' }, { id: 'fco_1', call_id: 'fc_1' }]) {
    const { messages } = itemMessages([made, { type: 'function_call_output', output: 'blue', ...named }])
    assert.deepEqual(messages[1], toolMessage('a', 'look', { type: 'text', value: 'blue' }))
  }
})

test('reasoning that only its provider can read leaves no message behind', () => {
  const { messages } = itemMessages([user('a'), { type: 'reasoning', summary: [], encrypted_content: 'x' }, user('b')])
  assert.deepEqual(
    messages.map(({ content }) => content),
    ['a', 'b'],
  )
})

test('what has no place is named, or refused with the name of its item', () => {
  const { left } = itemMessages([
    { type: 'reasoning', id: 'rs_1', summary: [], encrypted_content: 'gAAAA' },
    { ...assistant('Hello'), phase: 'commentary' },
    user([{ type: 'input_text', text: 'x', cache: true }]),
    user([{ type: 'input_image', image_url: `data:image/png;base64,${PIXEL}`, detail: 'high' }]),
  ])
  assert.deepEqual(left, ['input.encrypted_content', 'input.phase', 'input.content.cache', 'input.content.detail'])
  const refused: readonly [ResponseItem, RegExp][] = [
    [{ type: 'compaction', encrypted_content: 'x' }, /^input\.0: an item of type compaction has no place/],
    [{ type: 'image_generation_call', result: 'x' }, /^input\.0: an item of type image_generation_call has no place/],
    [{ type: 'computer_call_output' }, /^input\.0: an item of type computer_call_output has no place/],
    [output('a', 'blue'), /^input\.0: No tool call found for function call output with call_id a\./],
    [{ type: 'message', role: 'critic', content: 'x' }, /^input\.0: an item of type message has no place/],
    [
      { type: 'function_call', call_id: 'a', name: 'look' },
      /^input\.0: an item of type function_call has no place here, or has not the fields of its type/,
    ],
    [user([{ type: 'input_audio', data: 'x' }]), /^input\.0\.content\.0: a part of type input_audio has no place/],
    [
      user([{ type: 'input_image', file_id: 'file-1' }]),
      /^input\.0\.content\.0: a part of type input_image has no place/,
    ],
    [
      user([{ type: 'input_file', file_url: 'https://x' }]),
      /^input\.0\.content\.0\.file_url: the file begins with https:/,
    ],
    [user([]), /^input\.0: a message of the role user needs content/],
    [
      user([{ type: 'input_file', filename: 'a.txt', file_data: 'aGk=' }]),
      /^input\.0\.content\.0\.file_data: the type/,
    ],
    [user(7), /^input\.0\.content: this has no place here/],
  ]
  for (const [item, sentence] of refused) assert.throws(() => itemMessages([item]), { message: sentence })
})

function toolMessage(toolCallId: string, toolName: string, value: ToolOutput): AnyMessage {
  return { role: 'tool', content: [{ type: 'tool-result', toolCallId, toolName, output: value }] }
}

/** Turns of a user, and what a model thought, said, called and was answered, with fields that have a place alone. */
function conversation(): fc.Arbitrary<readonly ResponseItem[]> {
  return fc
    .array(fc.record({ asked: asked(), steps: fc.array(step(), { maxLength: 3 }), said: words() }), {
      minLength: 1,
      maxLength: 4,
    })
    .map((turns) => {
      let ids = 0
      return turns.flatMap(({ asked: input, steps, said }) => [
        ...input,
        ...steps.flatMap((items) => numbered(items, () => (ids += 1))),
        assistant(said),
      ])
    })
}

function asked(): fc.Arbitrary<readonly ResponseItem[]> {
  const image = { type: 'input_image', image_url: `data:image/png;base64,${PIXEL}` }
  const file = { type: 'input_file', filename: 'a.pdf', file_data: 'data:application/pdf;base64,aGk=' }
  const text = words().map((each) => ({ type: 'input_text', text: each }))
  const part = fc.oneof(text, fc.constant(image), fc.constant(file))
  const system = words().map((content): ResponseItem => ({ type: 'message', role: 'system', content }))
  const person = fc.oneof(words(), fc.array(part, { minLength: 1, maxLength: 3 }).filter(isMoreThanText)).map(user)
  return fc.tuple(fc.array(system, { maxLength: 1 }), person).map(([before, message]) => [...before, message])
}

/** One text alone is the same as the text itself. */
function isMoreThanText(parts: readonly { readonly type: string }[]): boolean {
  return parts.length > 1 || parts[0]?.type !== 'input_text'
}

interface Step {
  readonly thought: string | undefined
  readonly said: string | undefined
  readonly calls: readonly { readonly name: string; readonly input: object; readonly answer: unknown }[]
}

function step(): fc.Arbitrary<Step> {
  const answer = fc.oneof(
    words(),
    fc
      .array(
        fc.oneof(
          words().map((text) => ({ type: 'input_text', text })),
          fc.constant({ type: 'input_image', image_url: `data:image/png;base64,${PIXEL}` }),
        ),
        { minLength: 1, maxLength: 2 },
      )
      .filter(isMoreThanText),
  )
  const input = fc.dictionary(
    fc.string().filter((key) => key !== '__proto__'),
    fc.oneof(fc.string(), fc.integer(), fc.boolean()),
    { maxKeys: 3 },
  )
  return fc.record({
    thought: fc.option(words(), { nil: undefined }),
    said: fc.option(words(), { nil: undefined }),
    calls: fc.array(fc.record({ name: fc.constantFrom('look', 'crm__find'), input, answer }), {
      minLength: 1,
      maxLength: 3,
    }),
  })
}

function numbered({ thought, said, calls }: Step, next: () => number): readonly ResponseItem[] {
  const named = calls.map((each) => ({ ...each, id: `call_${next()}` }))
  return [
    ...(thought === undefined ? [] : [{ type: 'reasoning', summary: [{ type: 'summary_text', text: thought }] }]),
    ...(said === undefined ? [] : [assistant(said)]),
    ...named.map(({ id, name, input }) => call(id, name, input)),
    ...named.map(({ id, answer }) => output(id, answer)),
  ]
}

function words(): fc.Arbitrary<string> {
  return fc.string({ minLength: 1, unit: 'grapheme' })
}

/** The items that a message consists of: the other direction, for the comparison. */
function itemsOf(message: AnyMessage): readonly ResponseItem[] {
  const { role, content } = message
  if (role === 'system') return [{ type: 'message', role, content }]
  if (role === 'user') return [user(typeof content === 'string' ? content : content.map(partOf))]
  if (typeof content === 'string') return [assistant(content)]
  return content.map((part): ResponseItem => {
    if (part.type === 'text') return assistant(part.text)
    if (part.type === 'reasoning') {
      return { type: 'reasoning', summary: [{ type: 'summary_text', text: part.text }] }
    }
    if (part.type === 'tool-call') return call(part.toolCallId, part.toolName, part.input as object)
    if (part.type === 'tool-result') return output(part.toolCallId, outputOf(part.output))
    throw new TypeError(`no item is like ${part.type}`)
  })
}

function outputOf(value: ToolOutput): unknown {
  return value.type === 'content' ? value.value.map(partOf) : 'value' in value ? value.value : undefined
}

function partOf(part: object): object {
  const { type, text, mediaType, data, filename } = part as Record<string, string> & {
    readonly data: string | { readonly data: string }
  }
  if (type === 'text') return { type: 'input_text', text }
  const url = `data:${mediaType};base64,${typeof data === 'string' ? data : data.data}`
  return mediaType?.startsWith('image/')
    ? { type: 'input_image', image_url: url }
    : { type: 'input_file', filename, file_data: url }
}
