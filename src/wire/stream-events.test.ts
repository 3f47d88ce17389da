import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { EventFilter } from './answer-stream.ts'
import { answerFilter } from './formats.ts'

type Event = Readonly<Record<string, unknown>>

/** What is passed on of these events, in a few words each. */
function passed(filter: EventFilter, events: readonly unknown[]): readonly string[] {
  const text = events.map((event) => `data: ${typeof event === 'string' ? event : JSON.stringify(event)}\n\n`).join('')
  let out = ''
  for (let at = 0; at < text.length && !filter.isOver(); at += 7) out += filter.next(text.slice(at, at + 7))
  out += filter.end()
  return [...out.matchAll(/^data: (\{.*)$/gm)].map(([, json]) => brief(JSON.parse(json!) as Event))
}

function brief(event: Event): string {
  const {
    type,
    index,
    output_index: at = index,
    delta,
    content_block: block,
    item,
    error,
    response,
  } = event as Record<string, never>
  const about = typeof delta === 'string' ? delta : Object.values<unknown>(delta ?? {}).at(-1)
  const named = (block ?? item) as Event | undefined
  const why =
    (error as Event | undefined)?.['message'] ??
    (response as { incomplete_details?: Event } | undefined)?.incomplete_details?.['reason']
  const words = [type, at, named?.['type'], named?.['name'], named?.['arguments'], about, why]
  return words.filter((word) => word !== undefined && word !== null && word !== '').join(' ')
}

const start = (index: unknown, content_block: unknown) => ({ type: 'content_block_start', index, content_block })
const delta = (index: unknown, fields: unknown) => ({ type: 'content_block_delta', index, delta: fields })
const stop = { type: 'message_delta', delta: { stop_reason: 'end_turn' }, usage: null }

test('Messages: blocks have their beginnings and ends, and what says nothing or is unknown is left out', () => {
  const events = [
    delta(0, { text: 'a' }),
    { type: 'message_start', message: null },
    start(0, { type: 'text', text: 'b' }),
    'null',
    { type: 'x.unknown' },
    start(1, { type: 'tool_use', id: 't', input: null }),
    start(2, { type: 'from_the_future', data: 7 }),
    stop,
    { type: 'message_stop' },
    delta(0, { text: 'late' }),
  ]
  assert.deepEqual(passed(answerFilter('messages'), events), [
    'message_start',
    'content_block_start 0 text',
    'content_block_delta 0 a',
    'content_block_stop 0',
    'content_block_start 1 text',
    'content_block_delta 1 b',
    'content_block_start 2 tool_use unnamed',
    'content_block_stop 1',
    'content_block_stop 2',
    'message_delta end_turn',
    'message_stop',
  ])
})

test('Messages: a call that comes again is one, and another under its id stays', () => {
  const call = (index: number, json: string) => [
    start(index, { type: 'tool_use', id: 't', name: 'go', input: {} }),
    delta(index, { type: 'input_json_delta', partial_json: json }),
    { type: 'content_block_stop', index },
  ]
  const events = [...call(0, '{"n":1}'), ...call(1, '{ "n": 1 }'), ...call(2, '{"n":2}'), stop]
  const inputs = passed(answerFilter('messages'), events).filter((event) => event.startsWith('content_block_delta'))
  assert.deepEqual(inputs, ['content_block_delta 0 {"n":1}', 'content_block_delta 2 {"n":2}'])
})

test('Messages: a call that was cut has no end, and a stream without a reason has none', () => {
  const events = [start(0, { type: 'tool_use', id: 't', name: 'go' }), delta(0, { partial_json: '{"n' })]
  const cut = { type: 'message_delta', delta: { stop_reason: 'max_tokens' } }
  assert.equal(passed(answerFilter('messages'), [...events, cut]).includes('content_block_stop 0'), false)
  assert.equal(passed(answerFilter('messages'), events).includes('message_stop'), false)
})

test('Responses: what came in no delta is taken from the end of its item or of the answer, once', () => {
  const message = { type: 'message', id: 'msg_1', content: [{ type: 'output_text', text: 'all' }] }
  const call = { type: 'function_call', id: 'fc_1', call_id: 'c', name: 'go', arguments: { n: 1 } }
  const events = [
    { type: 'response.output_text.delta', item_id: 'msg_1', output_index: 0, delta: 'a' },
    { type: 'response.output_text.done', item_id: 'msg_1', output_index: 0, text: 'al' },
    { type: 'response.reasoning_text.delta', item_id: 'rs_1', output_index: 1, delta: 'hm' },
    { type: 'response.completed', response: { output: [message, { type: 'future' }, call, call], usage: 'none' } },
    { type: 'response.output_text.delta', item_id: 'msg_1', delta: 'late' },
  ]
  assert.deepEqual(passed(answerFilter('responses'), events), [
    'response.created',
    'response.output_item.added 0 message',
    'response.output_text.delta 0 a',
    'response.output_text.delta 0 l',
    'response.output_item.added 1 reasoning',
    'response.reasoning_summary_text.delta 1 hm',
    'response.output_text.delta 0 l',
    'response.output_item.done 0 message',
    'response.output_item.added 2 function_call go',
    'response.function_call_arguments.delta 2 {"n":1}',
    'response.output_item.done 2 function_call go {"n":1}',
    'response.output_item.done 1 reasoning',
    'response.completed',
  ])
})

test('a failure is found in every form, in each format', () => {
  for (const format of ['messages', 'responses'] as const) {
    for (const failure of [
      { type: 'error', error: { message: 'No.' } },
      { error: 'No.' },
      { detail: [{ msg: 'No.' }] },
    ]) {
      assert.deepEqual(passed(answerFilter(format), [failure]), ['error No.'])
    }
  }
  const failed = { type: 'response.failed', response: { error: { code: 'server_error', message: 'No.' } } }
  assert.deepEqual(passed(answerFilter('responses'), [failed]), ['error No.'])
})
