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
  /** Where it was read, and when it was written or read there. */
  readonly source: string
  readonly date: string
}

const recorded = JSON.parse(
  readFileSync(new URL('../../test/recorded/overflow.json', import.meta.url), 'utf8'),
) as readonly Recorded[]

for (const { name, provider, status, body, overflow } of recorded) {
  test(`${provider}, ${name}: ${overflow ? 'an overflow' : 'no overflow'}`, () => {
    assert.deepEqual(detectOverflow(status, body), overflow ?? undefined)
  })
}

test('the servers whose refusals are known, by what these say of sizes: each has at least one recorded sentence', () => {
  const said = new Map<string, number>()
  for (const { provider, overflow, source, date } of recorded) {
    assert.ok(source !== '' && /^\d{4}-\d\d-\d\d$/.test(date), `${provider} has a source and a date`)
    const sizes = overflow ? Number('limit' in overflow) + Number('sent' in overflow) : -1
    if (provider !== 'any' && sizes >= 0) said.set(provider, Math.max(said.get(provider) ?? 0, sizes))
  }
  const servers = (sizes: number) => [...said].flatMap(([name, most]) => (most === sizes ? [name] : [])).toSorted()
  assert.deepEqual(servers(2), [
    'anthropic',
    'azure',
    'cerebras',
    'cloudflare',
    'cohere',
    'copilot',
    'ctransformers',
    'deepseek',
    'fireworks',
    'google',
    'groq',
    'huggingface',
    'koboldcpp',
    'litellm',
    'llama-cpp-python',
    'llama.cpp',
    'lm-studio',
    'localai',
    'mistral',
    'moonshot',
    'nvidia-nim',
    'ollama',
    'omlx',
    'openai',
    'openrouter',
    'sglang',
    'siliconflow',
    'tabbyapi',
    'text-generation-webui',
    'tgi',
    'together',
    'vllm',
    'watsonx',
    'xai',
    'xinference',
  ])
  assert.deepEqual(servers(1), ['dashscope', 'github'])
  assert.deepEqual(servers(0), ['bedrock', 'gpt4all', 'minimax', 'mlx-serve', 'vertex', 'zai'])
})

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
