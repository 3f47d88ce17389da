import assert from 'node:assert/strict'
import { test } from 'node:test'
import { providerSentence } from './provider-sentence.ts'

test('a sentence is found wherever a provider or one behind it puts it', () => {
  for (const [body, sentence] of [
    ['too large', 'too large'],
    [{ error: { message: 'too large' } }, 'too large'],
    [
      { error: { metadata: { raw: '{"error":{"message":"too large"}}' }, message: 'Provider returned error' } },
      'too large',
    ],
    [{ errors: [{}, { detail: [{ msg: 'too large' }] }] }, 'too large'],
    [{ status: 400 }, undefined],
    [null, undefined],
    ['', undefined],
  ] as const) {
    assert.equal(providerSentence(body), sentence)
  }
})

test('a body without a sentence is looked through once: what is not there is not searched', (t) => {
  const looks = t.mock.method(Array, 'isArray')
  assert.equal(providerSentence({ error: { details: [{ code: 7 }] } }), undefined)
  assert.ok(looks.mock.callCount() < 20, `${looks.mock.callCount()} looks`)
})
