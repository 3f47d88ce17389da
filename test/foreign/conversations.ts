import * as fc from 'fast-check'
import { type ConversationFormat } from '../../src/wire.ts'

/** What happens in a conversation, before it has a format. */
export type Happening =
  | { readonly type: 'person'; readonly text: string }
  | { readonly type: 'answer'; readonly text: string; readonly thinks: boolean }
  | {
      readonly type: 'round'
      readonly thinks: boolean
      /** Sizes of the results, characters. */
      readonly results: readonly number[]
    }

const words = fc.stringMatching(/^[a-zé "\\]{1,40}$/)
const round = fc.record({
  type: fc.constant('round' as const),
  thinks: fc.boolean(),
  results: fc.array(fc.integer({ min: 0, max: 4000 }), { minLength: 1, maxLength: 3 }),
})

/** Turns of a person, rounds of calls, and an answer that ends each turn. The last turn is open. */
export const happenings: fc.Arbitrary<readonly Happening[]> = fc
  .array(fc.record({ text: words, rounds: fc.array(round, { maxLength: 12 }), thinks: fc.boolean() }), {
    minLength: 1,
    maxLength: 8,
  })
  .map((turns) =>
    turns.flatMap(({ text, rounds, thinks }, at): readonly Happening[] => [
      { type: 'person', text },
      ...rounds,
      ...(at === turns.length - 1 ? [] : [{ type: 'answer' as const, text, thinks }]),
    ]),
  )

/** The items of a conversation in a format. Numbers of calls go on, so that ids differ. */
export function itemsIn(format: ConversationFormat, happened: readonly Happening[]): readonly object[] {
  let count = 0
  return happened.flatMap((each) => {
    const calls = each.type === 'round' ? each.results.map((size) => ({ id: `c${(count += 1)}`, size })) : []
    return writers[format](each, calls)
  })
}

type Calls = readonly { readonly id: string; readonly size: number }[]

const filler = (size: number) => 'the gate is open; '.repeat(Math.ceil(size / 18)).slice(0, size)

const writers: Readonly<Record<ConversationFormat, (each: Happening, calls: Calls) => readonly object[]>> = {
  messages(each, calls) {
    const thinking = 'thinks' in each && each.thinks ? [{ type: 'thinking', thinking: 'Hm.', signature: 'c2ln' }] : []
    if (each.type === 'person') return [{ role: 'user', content: each.text }]
    if (each.type === 'answer')
      return [{ role: 'assistant', content: [...thinking, { type: 'text', text: each.text }] }]
    const uses = calls.map(({ id }) => ({ type: 'tool_use', id, name: 'Read', input: { file_path: `${id}.ts` } }))
    const results = calls.map(({ id, size }, at) => ({
      type: 'tool_result',
      tool_use_id: id,
      content: at === 0 ? filler(size) : [{ type: 'text', text: filler(size) }],
    }))
    return [
      { role: 'assistant', content: [...thinking, ...uses] },
      { role: 'user', content: results },
    ]
  },
  responses(each, calls) {
    const reasoning =
      'thinks' in each && each.thinks
        ? [{ type: 'reasoning', id: 'rs', summary: [], encrypted_content: 'c2VjcmV0' }]
        : []
    if (each.type === 'person')
      return [{ type: 'message', role: 'user', content: [{ type: 'input_text', text: each.text }] }]
    if (each.type === 'answer') {
      return [...reasoning, { type: 'message', role: 'assistant', content: [{ type: 'output_text', text: each.text }] }]
    }
    return [
      ...reasoning,
      ...calls.map(({ id }) => ({
        type: 'function_call',
        call_id: id,
        name: 'shell',
        arguments: `{"command":"${id}"}`,
      })),
      ...calls.map(({ id, size }) => ({ type: 'function_call_output', call_id: id, output: filler(size) })),
    ]
  },
  'chat-completions'(each, calls) {
    if (each.type === 'person') return [{ role: 'user', content: each.text }]
    if (each.type === 'answer') return [{ role: 'assistant', content: each.text }]
    const made = calls.map(({ id }) => ({
      id,
      type: 'function',
      function: { name: 'read', arguments: `{"path":"${id}"}` },
    }))
    return [
      { role: 'assistant', content: null, tool_calls: made },
      ...calls.map(({ id, size }) => ({ role: 'tool', tool_call_id: id, content: filler(size) })),
    ]
  },
  // Without ids, as many programs send them: calls and results belong together in their order.
  'generate-content'(each, calls) {
    const sealed = 'thinks' in each && each.thinks ? { thoughtSignature: 'c2ln' } : {}
    if (each.type === 'person') return [{ role: 'user', parts: [{ text: each.text }] }]
    if (each.type === 'answer') return [{ role: 'model', parts: [{ text: each.text, ...sealed }] }]
    const made = calls.map(({ id }, at) => ({
      functionCall: { name: 'read', args: { path: id } },
      ...(at === 0 ? sealed : {}),
    }))
    const results = calls.map(({ size }) => ({
      functionResponse: { name: 'read', response: { output: filler(size) } },
    }))
    return [
      { role: 'model', parts: made },
      { role: 'user', parts: results },
    ]
  },
}
