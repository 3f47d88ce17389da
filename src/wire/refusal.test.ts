import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { test } from 'node:test'
import { detectOverflow, providerSentence } from './refusal.ts'

interface Recorded {
  readonly name: string
  readonly provider: string
  readonly status: number
  readonly body: string
  readonly overflow: { readonly limit?: number; readonly sent?: number } | null
}

const recorded = JSON.parse(
  readFileSync(new URL('../../test/recorded/overflow.json', import.meta.url), 'utf8'),
) as readonly Recorded[]

for (const { name, provider, status, body, overflow } of recorded) {
  test(`${provider}, ${name}: ${overflow ? 'an overflow' : 'no overflow'}`, () => {
    assert.deepEqual(detectOverflow(status, body), overflow ?? undefined)
  })
}

test('a hostile error text is read in a moment', () => {
  const long = 'maximum context length is 4 '.repeat(2000) + 'prompt contains '.repeat(2000)
  assert.deepEqual(detectOverflow(400, long), { limit: 4 })
})

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
