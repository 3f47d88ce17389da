import assert from 'node:assert/strict'
import { test } from 'node:test'
import { providerCases } from '../../testing.ts'
import { keepAliveSeconds } from './ollama-server.ts'
import { ollama, ollamaAddress } from './ollama.ts'

providerCases(test, { provider: ollama, model: 'scripted' })

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

for (const [duration, seconds] of [
  [undefined, 1800],
  ['30m', 1800],
  ['1h30m', 5400],
  ['90', 90],
  ['0', 0],
  ['-1', -1],
  ['-1m', -1],
  ['forever', -1],
  ['server', undefined],
  ['soon', 1800],
] as const) {
  test(`a model stays loaded for "${duration}"`, () => assert.equal(keepAliveSeconds(duration), seconds))
}
