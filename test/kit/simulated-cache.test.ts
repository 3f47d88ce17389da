import assert from 'node:assert/strict'
import { test } from 'node:test'
import { simulatedCache, simulatedRules, type SimulatedRule } from './simulated-cache.ts'

/** A cache that counts four characters as a token, at a time that the test sets. */
function cached(rule: SimulatedRule) {
  let seconds = 0
  const cache = simulatedCache({ rule, now: () => seconds * 1000 })
  return {
    after: (passed: number) => void (seconds += passed),
    /** Sends a request; a fact is `cached written`. */
    call(body: Readonly<Record<string, unknown>>, text = 'ok') {
      const { cachedTokens, cacheWrittenTokens } = cache.report({ body: { model: 'm', ...body } }, { text })
      return `${cachedTokens} ${cacheWrittenTokens}`
    },
    cache,
  }
}

// With its role, each is a block of as many tokens.
const user = (tokens: number, fill = 'a') => ({ role: 'user', content: fill.repeat(tokens * 4 - 5) })
const assistant = (tokens: number, fill = 'b') => ({ role: 'assistant', content: fill.repeat(tokens * 4 - 10) })
const marked = ({ role, content }: { role: string; content: string }, ttl?: string) => ({
  role,
  content: [{ type: 'text', text: content, cache_control: { type: 'ephemeral', ...(ttl && { ttl }) } }],
})

test('OpenAI before GPT-5.6 reads any beginning from 1024 tokens on in steps of 128, for five minutes from its last use', () => {
  const { call, after } = cached(simulatedRules.openai)
  const messages = [user(1000), assistant(100)]
  assert.equal(call({ messages }), '0 0')
  assert.equal(call({ messages: [...messages, user(50, 'c')] }), '1024 0')
  assert.equal(call({ messages: [user(1000), assistant(100, 'x')] }), '0 0', 'too little is the same')
  assert.equal(call({ messages: [...messages, user(50, 'c')], prompt_cache_key: 'other' }), '0 0')
  after(299)
  assert.equal(call({ messages: [...messages, user(50, 'd')] }), '1024 0')
  after(299)
  assert.equal(call({ messages: [...messages, user(50, 'd')] }), '1024 0')
  after(301)
  assert.equal(call({ messages: [...messages, user(50, 'd')] }), '0 0')
})

test('OpenAI from GPT-5.6 on writes behind the newest message and at three marks, and reads nothing between them', () => {
  const { call, after } = cached(simulatedRules.openaiMarks)
  const first = user(1500)
  assert.equal(call({ messages: [first] }), '0 1500')
  assert.equal(call({ messages: [first, assistant(100), user(50)] }), '1500 150')
  assert.equal(call({ messages: [first, assistant(100), user(60, 'c')] }), '1500 160', 'the answer is behind no mark')
  const breakpoint = { type: 'text', text: 'e'.repeat(4000), prompt_cache_breakpoint: { mode: 'explicit' } }
  const head = { role: 'system', content: [{ ...breakpoint, text: 'e'.repeat(5993) }] }
  assert.equal(call({ messages: [head, user(100)] }), '0 1600')
  after(1799)
  assert.equal(call({ messages: [head, user(100, 'x')] }), '1500 100', 'up to the mark')
  after(1801)
  assert.equal(call({ messages: [head, user(100, 'x')] }), '0 1600')
  assert.equal(call({ messages: [user(1023)] }), '0 0', 'short prompts are not written')
})

test('Anthropic reads up to an earlier mark, at most 20 blocks before one of the request', () => {
  const { call, after } = cached(simulatedRules.anthropic((model) => (model === 'm' ? 1024 : 4096)))
  const first = user(1500)
  assert.equal(call({ messages: [first] }), '0 0', 'nothing is marked')
  assert.equal(call({ messages: [marked(first)] }), '0 1500')
  assert.equal(call({ model: 'other', messages: [marked(first)] }), '0 0', 'its least size is 4096')
  const steps = (count: number) => Array.from({ length: count }, () => assistant(10))
  assert.equal(call({ messages: [first, ...steps(18), marked(user(10))] }), '1500 190')
  assert.equal(call({ messages: [first, ...steps(19), marked(user(10, 'z'))] }), '0 1700', 'the mark is 20 blocks away')
  after(299)
  assert.equal(call({ messages: [marked(first)] }), '1500 0')
  after(299)
  assert.equal(call({ messages: [marked(first)] }), '1500 0', 'a read keeps it')
  after(301)
  assert.equal(call({ messages: [marked(first)] }), '0 1500')
})

test('Anthropic keeps what is marked for an hour, and refuses a fifth mark', () => {
  const { call, after, cache } = cached(simulatedRules.anthropic(1024))
  const messages = [marked(user(1500), '1h'), assistant(100), marked(user(50))]
  assert.equal(call({ messages }), '0 1650')
  assert.equal(cache.reports.at(-1)?.longWrittenTokens, 1500)
  after(3000)
  assert.equal(call({ messages }), '1500 150')
  assert.equal(cache.reports.at(-1)?.longWrittenTokens, 0)
  assert.throws(() => call({ messages: Array.from({ length: 5 }, () => marked(user(10))) }), /maximum of 4/)
})

test('an engine keeps the prompt and the answer of each slot', () => {
  const { call } = cached(simulatedRules.engine(2))
  const answer = 'An answer of some words.'
  const first = [user(100)]
  assert.equal(call({ messages: first }, answer), '0 0')
  const grown = [...first, { role: 'assistant', content: answer }, user(20, 'c')]
  assert.equal(call({ messages: grown }, answer), `${100 + Math.ceil(`assistant\n${answer}`.length / 4)} 0`)
  assert.equal(call({ messages: [user(100, 'x')] }), '0 0', 'the other slot')
  assert.equal(call({ messages: [user(100, 'x')] }), '99 0', 'one token is evaluated, to go on from it')
  assert.equal(call({ messages: [...grown, assistant(10)] }), '131 0', 'and two tokens that answers begin with')
  assert.equal(call({ messages: grown, id_slot: 1 }), '1 0', 'the slot that was asked for')
})

test('a call of a tool is known again however its input is written', () => {
  const { cache } = cached(simulatedRules.engine(1))
  const toolCalls = [{ name: 'look', input: { at: 'sea', from: 1 } }]
  const { outputTokens } = cache.report({ body: { messages: [user(100)] } }, { toolCalls })
  const sent = {
    role: 'assistant',
    content: '',
    tool_calls: [{ function: { name: 'look', arguments: '{ "at":"sea", "from": 1 }' } }],
  }
  const { cachedTokens } = cache.report({ body: { messages: [user(100), sent, user(9)] } }, { text: 'ok' })
  assert.equal(cachedTokens, 100 + outputTokens)
})
