import assert from 'node:assert/strict'
import { test } from 'node:test'
import { readableMessage, renderResult } from './call-result.ts'

const read = (result: unknown) =>
  (readableMessage({ id: 1, result }) as { readonly result: Parameters<typeof renderResult>[0] }).result
const rendered = (result: unknown) => {
  const { ok, ...rest } = renderResult(read(result), (text) => text)
  return 'output' in rest ? rest.output : `${ok}: ${'error' in rest && rest.error}`
}
const fine = { type: 'text', text: 'fine' }

test('one odd part of a result loses only itself, and is named', () => {
  for (const [part, text] of [
    [{ ...fine, annotations: null, _meta: null }, 'fine'],
    [{ ...fine, annotations: { priority: 5 } }, 'fine'],
    [{ text: 'no type' }, 'no type'],
    [{ type: 'text', text: 5 }, '5'],
    ['a text alone', 'a text alone'],
    [{ type: 'widget', data: 'x' }, '[widget: content of a kind that is not known here]'],
    [{ type: 'image' }, '[image without data]'],
    [{ type: 'image', data: 'data:image/png;base64,aGk=' }, '[image image/png, 2 bytes]'],
    [{ type: 'audio', data: '%', mimeType: 'audio/wav' }, '[audio whose data is not base64]'],
    [{ type: 'resource_link', uri: 'file:///x', size: 'large' }, '[resource file:///x file:///x]'],
    [{ type: 'resource', resource: { text: 'inner' } }, '[resource ]\ninner'],
    [{ type: 'resource', resource: null }, '[resource : without content]'],
  ] as const) {
    assert.equal(rendered({ content: [part, fine], isError: null }), `${text}\nfine`)
  }
  assert.equal(rendered({ content: fine }), 'fine')
  assert.equal(rendered({ content: null, structuredContent: ['a', 1] }), '["a",1]')
  assert.equal(rendered({ content: [fine], isError: 'true' }), 'false: fine')
})

test('other messages stay as they are', () => {
  for (const message of [{ id: 1, result: { tools: [] } }, { method: 'x' }, { id: 1, error: { code: 1 } }, null]) {
    assert.equal(readableMessage(message), message)
  }
})

test('structured content is in the result where it says more than the text, and never twice', () => {
  const structuredContent = { rows: [{ port: 'Brest', high: 7.2 }] }
  const json = JSON.stringify(structuredContent)
  const text = (words: string) => rendered({ content: [{ type: 'text', text: words }], structuredContent })
  assert.equal(text('1 row found'), `1 row found\n${json}`)
  assert.equal(text(''), json)
  assert.equal(text(JSON.stringify(structuredContent, undefined, 2)), JSON.stringify(structuredContent, undefined, 2))
  assert.equal(text('Brest: 7.2 m'), 'Brest: 7.2 m')
})
