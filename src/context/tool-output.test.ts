import assert from 'node:assert/strict'
import test from 'node:test'
import { type Message, outputText, type ToolOutput, toolResults } from './message.ts'
import { chars, declared, messageTokens } from './token-counter.ts'
import { inForm, leastTokens, outputForms, type PricedMessage } from './tool-output.ts'

const long = 'a'.repeat(1200) + 'b'.repeat(2000) + 'c'.repeat(400)

function result(output: ToolOutput): Message {
  return { role: 'tool', content: [{ type: 'tool-result', toolCallId: 'c1', toolName: 'read', output }] }
}

function formsWorthHaving(priced: PricedMessage, reader?: string) {
  const forms = outputForms.map((form) => inForm(priced, form, chars, reader))
  return forms.filter((one, index) => one.form === outputForms[index])
}

function formsOf(output: ToolOutput, reader?: string) {
  const message = result(output)
  const forms = formsWorthHaving({ message, tokens: messageTokens(chars, message) }, reader)
  return forms.map(({ form, tokens, message: shown }) => [form, tokens, toolResults(shown)[0]!.output] as const)
}

test('a long output has an excerpt of its beginning and end, and a note of its size', () => {
  const output: ToolOutput = { type: 'text', value: long }
  const excerpt = `${'a'.repeat(1200)}\n[2000 of 3600 characters left out]\n${'c'.repeat(400)}`
  const cleared = '[3600 characters of output cleared]'
  assert.deepEqual(formsOf(output), [
    ['full', 3600, output],
    ['tool-output-excerpt', excerpt.length, { type: 'text', value: excerpt }],
    ['tool-output-cleared', cleared.length, { type: 'text', value: cleared }],
  ])
})

test('if the model has a tool to read the rest, the text names the call', () => {
  const [, excerpt, cleared] = formsOf({ type: 'text', value: long }, 'read_history')
  assert.match(outputText(excerpt![2]), /\n\[2000 of 3600 characters left out; read_history shows them, call c1\]\n/)
  assert.equal(outputText(cleared![2]), '[3600 characters of output cleared; read_history shows them, call c1]')
})

test('a failure stays a failure in every form', () => {
  for (const output of [{ type: 'error-text', value: long } as const, { type: 'error-json', value: [long] } as const]) {
    for (const [form, , shown] of formsOf(output)) {
      assert.equal(shown.type, form === 'full' ? output.type : 'error-text')
    }
  }
})

test('JSON and content steps down as text, media are named', () => {
  const content: ToolOutput = {
    type: 'content',
    value: [
      { type: 'text', text: 'x'.repeat(50) },
      { type: 'file', mediaType: 'image/png', data: { type: 'data', data: 'aGk=' } },
    ],
  }
  assert.equal(outputText(content), `${'x'.repeat(50)}\n[image/png]`)
  assert.deepEqual(formsOf(content).at(-1)![2], { type: 'text', value: '[62 characters of output cleared]' })
  const json: ToolOutput = { type: 'json', value: { rows: 'x'.repeat(50) } }
  assert.deepEqual(formsOf(json).at(-1)![2], { type: 'text', value: '[61 characters of output cleared]' })
})

test('an output that is shorter than the note about it has no other form', () => {
  assert.deepEqual(
    formsOf({ type: 'text', value: 'x'.repeat(33) }).map(([form]) => form),
    ['full'],
  )
  assert.deepEqual(
    formsOf({ type: 'execution-denied' }).map(([form]) => form),
    ['full'],
  )
  assert.equal(outputText({ type: 'execution-denied', reason: 'not here' }), 'not here')
  assert.equal(outputText({ type: 'execution-denied' }), 'denied')
})

test('an excerpt is not made of what it would hardly shorten', () => {
  assert.deepEqual(
    formsOf({ type: 'text', value: 'x'.repeat(1620) }).map(([form]) => form),
    ['full', 'tool-output-cleared'],
  )
})

test('without its picture a result that is shorter than the note of its size stays as an excerpt', () => {
  const image = { type: 'file', mediaType: 'image/png', data: { type: 'data', data: 'aGk=' } } as const
  const message = result({ type: 'content', value: [{ type: 'text', text: 'sunny' }, image] })
  const cleared = inForm({ message, tokens: 2400 }, 'tool-output-cleared', chars, undefined)
  assert.deepEqual([cleared.form, cleared.tokens], ['tool-output-excerpt', 'sunny\n[image/png]'.length])
})

test('only tool results have smaller forms', () => {
  const message: Message = { role: 'user', content: long }
  assert.equal(formsWorthHaving({ message, tokens: 3600 }).length, 1)
  assert.equal(leastTokens(message, 3600, chars), 3600)
})

test('a message with results small and large shrinks as far as it goes', () => {
  const message: Message = {
    role: 'tool',
    content: [
      { type: 'tool-result', toolCallId: 'c1', toolName: 'read', output: { type: 'text', value: 'short' } },
      { type: 'tool-result', toolCallId: 'c2', toolName: 'read', output: { type: 'text', value: long } },
      { type: 'tool-approval-response', approvalId: 'a1', approved: true },
    ],
  }
  const cleared = formsWorthHaving({ message, tokens: 3605 }).at(-1)!
  assert.deepEqual(
    toolResults(cleared.message).map((part) => outputText(part.output)),
    ['short', '[3600 characters of output cleared]'],
  )
  assert.equal((cleared.message.content as readonly unknown[]).length, 3)
})

test('under declared a smaller form costs a quarter of its characters, and is used only where that is less', () => {
  const message = result({ type: 'text', value: long })
  assert.equal(leastTokens(message, 900, declared), Math.ceil('[3600 characters of output cleared]'.length / 4))
  assert.equal(leastTokens(message, 9, declared), 9)
})
