import assert from 'node:assert/strict'
import { test } from 'node:test'
import { scriptedRuntime } from './scripted-runtime.ts'
import { served } from './served.ts'

/** The three endpoints of other vendors' formats: their path, the field of a conversation, and a body with one. */
const doors = [
  ['/v1/chat/completions', 'messages', 'text', {}],
  ['/v1/responses', 'input', 'input_text', {}],
  ['/v1/messages', 'messages', 'text', { max_tokens: 9 }],
] as const

type Said = Readonly<Record<string, unknown>>

/** What is answered to a message of a person that is the last, and to one that is not; `true`: it reached the model. */
const table: readonly (readonly [what: string, message: (type: string) => Said, isRead: boolean, inSession: string])[] =
  [
    ['a text', () => ({ content: 'hi' }), true, ''],
    ['an empty text', () => ({ content: '' }), true, 'the last message is empty'],
    ['a blank text', () => ({ content: ' ' }), true, 'the last message is empty'],
    ['a part with an empty text', (type) => ({ content: [{ type, text: '' }] }), true, 'the last message is empty'],
    ['no part', () => ({ content: [] }), false, 'needs content'],
    ['null', () => ({ content: null }), false, 'needs content'],
    ['no content', () => ({}), false, 'needs content'],
    ['another field alone', () => ({ name: 'bob' }), false, 'needs content'],
  ]

for (const [what, message, isRead, inSession] of table) {
  test(`a message of a person with ${what} means the same in all three formats`, async () => {
    for (const [path, field, type, more] of doors) {
      const empty = { role: 'user', ...message(type) }
      const others = [
        { role: 'assistant', content: 'a' },
        { role: 'user', content: 'b' },
      ]
      for (const conversation of [[empty], [empty, ...others]]) {
        const runtime = scriptedRuntime()
        const response = await served(runtime).request(path, { body: { ...more, [field]: conversation } })
        const text = await response.text()
        assert.deepEqual([response.status, runtime.completed.length], isRead ? [200, 1] : [400, 0], `${path} ${text}`)
        if (!isRead) assert.match(text, new RegExp(`${field}\\.0: a message of the role user needs content`))
      }
      const headers = { 'x-foreword-session': 'new' }
      const kept = await served(scriptedRuntime()).request(path, { body: { ...more, [field]: [empty] }, headers })
      assert.equal(kept.status, inSession === '' ? 200 : 400, path)
      assert.ok((await kept.text()).includes(inSession), path)
    }
  })
}

test('an answer and an instruction without content are left as they are in all three formats', async () => {
  for (const [path, field, , more] of doors) {
    for (const role of ['assistant', 'system']) {
      for (const content of ['', [], null]) {
        const conversation = [
          { role: 'user', content: 'a' },
          { role, content },
          { role: 'user', content: 'b' },
        ]
        const response = await served(scriptedRuntime()).request(path, { body: { ...more, [field]: conversation } })
        assert.equal(response.status, 200, `${path} ${role} ${JSON.stringify(content)}: ${await response.text()}`)
      }
    }
  }
})
