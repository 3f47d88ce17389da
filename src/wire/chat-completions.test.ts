import assert from 'node:assert/strict'
import { test } from 'node:test'
import { answerFilter } from './formats.ts'

type Event = Record<string, unknown>

/** What is passed on of these events, cut into pieces of so many characters. */
function passed(events: readonly unknown[], size = 7): Event[] {
  const filter = answerFilter('chat-completions')
  const text = events
    .map((event) => (typeof event === 'string' ? event : `data: ${JSON.stringify(event)}\n\n`))
    .join('')
  let out = ''
  for (let at = 0; at < text.length; at += size) out += filter.next(text.slice(at, at + size))
  return out
    .split('\n\n')
    .filter((event) => event.startsWith('data: {'))
    .map((event) => JSON.parse(event.slice('data: '.length)) as Event)
}

const chunk = (delta: unknown, more: Event = {}) => ({ id: 'c', choices: [{ index: 0, delta, ...more }] })
const deltas = (events: readonly unknown[]) =>
  passed(events).flatMap(({ choices }) => (choices as { delta: Event }[]).map(({ delta }) => delta))

test('an event without choices, or that says nothing, is none of the answer', () => {
  for (const choices of [undefined, null, {}]) {
    assert.deepEqual(passed([{ id: 'c', choices, usage: { prompt_tokens: 3 } }]), [{ id: 'c', choices: [] }])
  }
  assert.deepEqual(passed(['data:\n\n', 'data: null\n\n', 'data: []\n\n', ': ping\n\n', 'event: ping\n\n']), [])
})

test('text and thinking are found in every form', () => {
  const parts = [
    { type: 'thinking', thinking: [{ type: 'text', text: 'why' }] },
    { type: 'text', text: 'so' },
  ]
  for (const [delta, content, thinking] of [
    [{ content: 'so' }, 'so', undefined],
    [{ content: null, reasoning: 'why' }, undefined, 'why'],
    [{ content: '', thinking: 'why' }, undefined, 'why'],
    [{ content: parts }, 'so', 'why'],
    [{ role: 'model', content: 'so', refusal: false }, 'so', undefined],
    [null, undefined, undefined],
  ]) {
    const [read] = deltas([chunk(delta)])
    assert.deepEqual([read?.['content'], read?.['reasoning_content']], [content, thinking])
  }
  assert.equal(deltas([{ choices: [{ message: { content: 'so' } }] }])[0]?.['content'], 'so')
})

test('a whole call that comes again under its id is one call, and two calls stay two', () => {
  const call = (id: string, input: string, more: Event = {}) => ({
    ...more,
    id,
    function: { name: 'go', arguments: input },
  })
  const inputs = (...calls: unknown[]) =>
    deltas(calls.map((each) => chunk({ tool_calls: [each] }))).flatMap(({ tool_calls: read }) =>
      ((read ?? []) as { function: { arguments: string } }[]).map(({ function: { arguments: input } }) => input),
    )
  assert.deepEqual(inputs(call('a', '{"n":1}'), call('a', '{ "n": 1 }')), ['{"n":1}'])
  assert.deepEqual(
    inputs(
      call('a', '{"n"', { index: 0 }),
      { index: 0, function: { arguments: ':1}' } },
      call('a', '{"n":1}', { index: 0 }),
    ),
    ['{"n"', ':1}'],
  )
  assert.deepEqual(inputs(call('a', '{"n":1}'), call('b', '{"n":1}')), ['{"n":1}', '{"n":1}'])
  assert.deepEqual(inputs(call('a', '{"n":1}', { index: 0 }), call('a', '{"n":2}', { index: 1 })), [
    '{"n":1}',
    '{"n":2}',
  ])
  assert.deepEqual(inputs({ id: 'a', function: { name: 'go', arguments: { n: 1 } } }), ['{"n":1}'])
  assert.deepEqual(inputs({ id: 'a', name: 'go', arguments: '{"n":1}' }), ['{"n":1}'])
})

test('a call keeps its place, and waits for its name until the end of the answer', () => {
  const piece = (id: string | undefined, name: string | undefined, input: string) =>
    chunk({ tool_calls: [{ index: 0, id, function: { name, arguments: input } }] })
  const read = deltas([
    piece('a', 'go', '{"n":1}'),
    piece('b', undefined, '{"n"'),
    piece('b', undefined, ':2}'),
    piece('b', 'stay', ''),
    piece('c', undefined, '{}'),
    chunk({}, { finish_reason: 'tool_calls' }),
  ]).flatMap(({ tool_calls: calls }) => (calls ?? []) as unknown[])
  assert.deepEqual(read, [
    { index: 0, id: 'a', function: { name: 'go', arguments: '{"n":1}' } },
    { index: 1, id: 'b', function: { name: 'stay', arguments: '{"n":2}' } },
    { index: 2, id: 'c', function: { name: 'unnamed', arguments: '{}' } },
  ])
})

test('a failure is found in every form, and its sentence with it', () => {
  for (const failure of [
    { error: { message: 'No.', code: 500 } },
    { error: 'No.' },
    { object: 'error', message: 'No.' },
    { detail: [{ msg: 'No.' }] },
    'event: error\ndata: {"message":"No."}\n\n',
  ]) {
    const [read] = passed([failure])
    assert.equal((read!['error'] as Event)['message'], 'No.')
  }
  assert.equal('error' in passed([{ error: null, choices: [] }])[0]!, false)
})

test('nothing follows the end of an answer, and a reason that says nothing is none', () => {
  const events = [chunk({ content: 'a' }, { finish_reason: '' }), 'data: [DONE]\n\n', chunk({ content: 'b' })]
  assert.deepEqual(
    passed(events).map(({ choices }) => (choices as Event[])[0]?.['finish_reason']),
    [null],
  )
})
