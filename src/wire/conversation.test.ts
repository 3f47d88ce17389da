import assert from 'node:assert/strict'
import test from 'node:test'
import { forAll } from '../../test/arbitrary/for-all.ts'
import { happenings, itemsIn } from '../../test/foreign/conversations.ts'
import type { AnyMessage } from '../context.ts'
import { conversationOf, type ConversationRules, ignoredIn, lastMessageOf, UnreadablePart } from './conversation.ts'
import { type ConversationFormat, conversationFormats, formatReaders } from './formats.ts'

/** Gemini's has no ids of calls that others could be compared with. */
type NamedCalls = Exclude<ConversationFormat, 'generate-content'>

const rules: Readonly<Record<NamedCalls, ConversationRules>> = {
  messages: { file: noFile, orphan: (id) => `no ${id}` },
  responses: { file: noFile, orphan: (id) => `no ${id}`, joinsItems: true },
  'chat-completions': { file: noFile, orphan: (id) => `no ${id}`, joinsTexts: true },
}

function noFile(): never {
  throw new Error('there is no file')
}

const partsOf = (format: NamedCalls, items: readonly object[]) => [
  ...formatReaders[format].parts({ [format === 'responses' ? 'input' : 'messages']: items }),
]

/** Who says what: without the names that the formats give their tools, and without reasoning. */
function said(messages: readonly AnyMessage[]): unknown {
  return messages.map(({ role, content }) => [
    role,
    typeof content === 'string'
      ? [content]
      : content.flatMap((part) => {
          if (part.type === 'text') return [part.text]
          if (part.type === 'tool-call') return [`call ${part.toolCallId}`]
          return part.type === 'tool-result' ? [`result ${part.toolCallId} ${JSON.stringify(part.output)}`] : []
        }),
  ])
}

test('a conversation is the same messages, whatever format it is sent in', () => {
  forAll(happenings, (happened) => {
    const [first, ...others] = conversationFormats
      .filter((format) => format !== 'generate-content')
      .map((format) => said(conversationOf(partsOf(format, itemsIn(format, happened)), rules[format])))
    for (const other of others) assert.deepEqual(other, first)
  })
})

test('what no reader knows is refused with its place, and named where only a field is not read', () => {
  const user = (...content: readonly object[]) => partsOf('messages', [{ role: 'user', content }])
  const odd = user({ type: 'text', text: 'a' }, { type: 'hologram', data: 1 })
  for (const read of [() => conversationOf(odd, rules.messages), () => lastMessageOf(odd)]) {
    assert.throws(read, (error) => error instanceof UnreadablePart && error.path === 'messages.0.content.1')
  }
  const orphan = user({ type: 'tool_result', tool_use_id: 'x', content: 'a' })
  assert.throws(() => conversationOf(orphan, rules.messages), /^UnreadablePart: messages\.0\.content\.0: no x\.$/)

  const more = user({ type: 'text', text: 'a', cache_control: { type: 'ephemeral' }, citations: [1] })
  assert.deepEqual(ignoredIn(more), ['messages.content.citations', 'messages.content.cache_control'])
  assert.deepEqual(said(conversationOf(more, rules.messages)), [['user', ['a']]])
  assert.deepEqual(lastMessageOf(more), { text: 'a', media: [] })
})
