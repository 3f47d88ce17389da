import assert from 'node:assert/strict'
import { test } from 'node:test'
import { addressOf, ollamaAddress } from './address.ts'

for (const [host, address] of [
  ['', 'http://127.0.0.1:11434'],
  ['127.0.0.1:9000', 'http://127.0.0.1:9000'],
  [':9000', 'http://127.0.0.1:9000'],
  ['0.0.0.0', 'http://127.0.0.1:11434'],
  ['box.local', 'http://box.local:11434'],
  ['http://box.local:9000/', 'http://box.local:9000'],
  ['https://ollama.example/api', 'https://ollama.example'],
  ['http://box.local:11434/v1', 'http://box.local:11434'],
] as const) {
  test(`OLLAMA_HOST "${host}" is ${address}`, () => assert.equal(ollamaAddress(host), address))
}

test('an address without a path means the first version of the interface', () => {
  assert.equal(
    addressOf({ kind: 'openai-compatible', baseURL: 'http://127.0.0.1:1234' }, {}),
    'http://127.0.0.1:1234/v1',
  )
  assert.equal(addressOf({ kind: 'openai-compatible', baseURL: 'http://h/openai/v2/' }, {}), 'http://h/openai/v2')
  assert.equal(addressOf({ kind: 'anthropic' }, { ANTHROPIC_BASE_URL: 'http://h' }), 'http://h/v1')
  assert.equal(addressOf({ kind: 'openai' }, {}), 'https://api.openai.com/v1')
})
