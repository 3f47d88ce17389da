import assert from 'node:assert/strict'
import { test } from 'node:test'
import { answerFilter } from './formats.ts'
import { responseReader } from './response-reader.ts'
import { UNREPORTED_USAGE, type Usage, usageReader } from './usage.ts'

function read(...events: readonly Record<string, unknown>[]): Usage | undefined {
  const reader = usageReader()
  for (const event of events) reader.add(event)
  return reader.usage()
}

const of = (
  promptTokens: number,
  outputTokens: number,
  [cachedTokens, cacheWrittenTokens, reasoningTokens]: readonly (number | undefined)[] = [],
): Usage => ({ promptTokens, outputTokens, cachedTokens, cacheWrittenTokens, reasoningTokens })

const chat = { prompt_tokens: 50, completion_tokens: 7, total_tokens: 57 }

/** What a server reports, as its documentation has it, and what that means. */
for (const [server, events, usage] of [
  ['OpenAI, Azure, vLLM, SambaNova, Cerebras, TGI', [{ usage: chat }], of(50, 7)],
  [
    'OpenAI with details',
    [
      {
        usage: {
          ...chat,
          prompt_tokens_details: { cached_tokens: 20 },
          completion_tokens_details: { reasoning_tokens: 3 },
        },
      },
    ],
    of(50, 7, [20, undefined, 3]),
  ],
  ['vLLM without details', [{ usage: { ...chat, prompt_tokens_details: null } }], of(50, 7)],
  [
    'OpenRouter',
    [{ usage: { ...chat, cost: 0.95, prompt_tokens_details: { cached_tokens: 0, cache_write_tokens: 30 } } }],
    { ...of(50, 7, [0, 30]), cost: 0.95 },
  ],
  ['Groq', [{ choices: [], x_groq: { id: 'req', usage: { ...chat, queue_time: 0.1 } } }], of(50, 7)],
  ['DeepSeek', [{ usage: { ...chat, prompt_cache_hit_tokens: 40, prompt_cache_miss_tokens: 10 } }], of(50, 7, [40])],
  ['Moonshot', [{ choices: [{ index: 0, delta: {}, usage: { ...chat, cached_tokens: 12 } }] }], of(50, 7, [12])],
  ['Mistral', [{ usage: { ...chat, num_cached_tokens: 16 } }], of(50, 7, [16])],
  [
    'xAI, which counts reasoning beside the answer',
    [{ usage: { ...chat, total_tokens: 157, completion_tokens_details: { reasoning_tokens: 100 } } }],
    of(50, 107, [undefined, undefined, 100]),
  ],
  [
    'Perplexity',
    [{ usage: { ...chat, reasoning_tokens: 2, cost: { total_cost: 0.1 } } }],
    { ...of(50, 7, [undefined, undefined, 2]), cost: 0.1 },
  ],
  // https://docs.perplexity.ai/docs/agent-api: the schema `ResponsesUsage`.
  [
    'Perplexity (Agent API)',
    [
      {
        type: 'response.completed',
        response: {
          usage: {
            input_tokens: 50,
            input_tokens_details: { cache_creation_input_tokens: 10, cache_read_input_tokens: 30 },
            output_tokens: 7,
            total_tokens: 57,
            cost: { currency: 'USD', total_cost: 0.1 },
          },
        },
      },
    ],
    { ...of(50, 7, [30, 10, undefined]), cost: 0.1 },
  ],
  [
    'LiteLLM before Anthropic',
    [
      {
        usage: {
          ...chat,
          prompt_tokens_details: { cached_tokens: 20 },
          cache_creation_input_tokens: 5,
          cache_read_input_tokens: 20,
        },
      },
    ],
    of(50, 7, [20, 5]),
  ],
  [
    'llama.cpp with its timings',
    [{ choices: [], timings: { cache_n: 40, prompt_n: 10, predicted_n: 7 } }],
    of(50, 7, [40]),
  ],
  [
    'Anthropic',
    [
      {
        type: 'message_start',
        message: {
          usage: { input_tokens: 5, cache_read_input_tokens: 40, cache_creation_input_tokens: 5, output_tokens: 1 },
        },
      },
      { type: 'message_delta', usage: { output_tokens: 7, output_tokens_details: { thinking_tokens: 3 } } },
    ],
    of(50, 7, [40, 5, 3]),
  ],
  [
    'a server with Anthropic’s format that reports at the end',
    [{ message: { usage: { input_tokens: 0, output_tokens: 0 } } }, { usage: { input_tokens: 50, output_tokens: 7 } }],
    of(50, 7),
  ],
  [
    'Responses',
    [
      {
        type: 'response.completed',
        response: {
          usage: {
            input_tokens: 50,
            input_tokens_details: { cached_tokens: 20 },
            output_tokens: 7,
            output_tokens_details: { reasoning_tokens: 3 },
            total_tokens: 57,
          },
        },
      },
    ],
    of(50, 7, [20, undefined, 3]),
  ],
  [
    'Gemini and Vertex',
    [
      {
        usageMetadata: {
          promptTokenCount: 50,
          cachedContentTokenCount: 20,
          candidatesTokenCount: 4,
          thoughtsTokenCount: 3,
        },
      },
    ],
    of(50, 7, [20, undefined, 3]),
  ],
  [
    'Gemini of an answer that ended while it was thought about',
    [{ usageMetadata: { promptTokenCount: 50, thoughtsTokenCount: 3 } }],
    of(50, 3, [undefined, undefined, 3]),
  ],
  [
    'Bedrock',
    [{ metadata: { usage: { inputTokens: 10, cacheReadInputTokens: 40, outputTokens: 7 } } }],
    of(50, 7, [40]),
  ],
  [
    'Cohere',
    [{ usage: { billed_units: { input_tokens: 1 }, tokens: { input_tokens: 50, output_tokens: 7 } } }],
    of(50, 7),
  ],
  ['Ollama', [{ done: true, prompt_eval_count: 50, eval_count: 7 }], of(50, 7)],
  [
    'LM Studio',
    [{ stats: { input_tokens: 50, total_output_tokens: 7, reasoning_output_tokens: 3 } }],
    of(50, 7, [undefined, undefined, 3]),
  ],
  ['figures as texts', [{ usage: { prompt_tokens: '50', completion_tokens: ' 7 ' } }], of(50, 7)],
  [
    'usage that comes again',
    [{ usage: chat }, { usage: chat }, { usage: { prompt_tokens: 0, completion_tokens: 0 } }],
    of(50, 7),
  ],
] as const satisfies readonly (readonly [string, readonly Record<string, unknown>[], Usage])[]) {
  test(`usage is found where it is put by ${server}`, () => assert.deepEqual(read(...events), usage))
}

test('one gate: whole numbers, and 0 ≤ cached ≤ prompt ≤ 100 million, else it is not reported', () => {
  for (const tokens of [0, -1, 1.5, 1e18, Number.MAX_VALUE, null, 'many', true, [5], {}]) {
    assert.equal(read({ usage: { prompt_tokens: tokens } })?.promptTokens, undefined)
  }
  assert.deepEqual(read({ usage: { prompt_tokens: 0, completion_tokens: 0 } }), UNREPORTED_USAGE)
  assert.equal(read({ usage: {} }, { usage: null }, { usage: [] }, { usage: 'none' }), undefined)
  assert.deepEqual(read({ usage: { ...chat, prompt_tokens_details: { cached_tokens: 1e18 } } }), of(50, 7))
  const beside = read({ usage: { ...chat, prompt_tokens_details: { cached_tokens: 60 } } })
  assert.deepEqual(beside, of(110, 7, [60]), 'the prompt leaves out what was cached')
})

/** What a server reports beside the tokens, and the cost that it is. */
for (const [server, report, cost] of [
  ['OpenRouter', { cost: 0.000_31, is_byok: false, cost_details: { upstream_inference_cost: 0.000_31 } }, 0.000_31],
  [
    'OpenRouter with a key of one’s own',
    { cost: 0.05, is_byok: true, cost_details: { upstream_inference_cost: 1 } },
    1.05,
  ],
  ['OpenRouter with a free model', { cost: 0 }, 0],
  ['xAI', { cost_in_usd_ticks: 37_756_000 }, 0.003_775_6],
  ['Perplexity', { cost: { currency: 'USD', total_cost: 0.006 } }, 0.006],
  ['Perplexity in another currency', { cost: { currency: 'EUR', total_cost: 0.006 } }, undefined],
  ['DeepInfra', { estimated_cost: 0.000_026_8 }, 0.000_026_8],
  ['LLM Gateway', { cost_usd_total: 0.000_125 }, 0.000_125],
  ['a server that writes it as a text', { cost: ' 0.25 ' }, 0.25],
  ['a server of nonsense', { cost: -1 }, undefined],
  ['a server of larger nonsense', { cost: 1e9 }, undefined],
  ['a server of other nonsense', { cost: ['free'], cost_in_usd_ticks: null }, undefined],
] as const) {
  test(`the cost of a call is read as it is reported by ${server}`, () => {
    assert.equal(read({ usage: { ...chat, ...report } })?.cost, cost)
    const responses = {
      type: 'response.completed',
      response: { usage: { input_tokens: 5, output_tokens: 7, ...report } },
    }
    assert.equal(read(responses, responses)?.cost, cost)
    assert.equal(read({ usage: report }), undefined, 'a cost of nothing is none')
  })
}

test('the cost in the head of an answer in one piece is its cost, unless the body has one; a stream is longer than its head knows', () => {
  const costOf = (body: string, header: unknown) => {
    const reader = responseReader('chat-completions', { 'x-litellm-response-cost': header })
    reader.write(new TextEncoder().encode(body))
    return reader.end().usage?.cost
  }
  const whole = (usage: object) => JSON.stringify({ choices: [{ message: { content: 'Hi.' } }], usage })
  assert.equal(costOf(whole(chat), '0.000415'), 0.000_415)
  assert.equal(costOf(whole({ ...chat, cost: 0.5 }), '0.000415'), 0.5)
  assert.equal(costOf(whole({}), '0.000415'), undefined, 'a cost of nothing is none')
  for (const nothing of ['0.0', 'None', '-1', '1e9', '', undefined])
    assert.equal(costOf(whole(chat), nothing), undefined)
  assert.equal(costOf(`data: ${JSON.stringify({ choices: [], usage: chat })}\n\n`, '0.000415'), undefined)
})

test('a cost of a stream that is reported again as nothing stays', () => {
  assert.equal(read({ usage: { ...chat, cost: 0.5 } }, { usage: { ...chat, cost: 0 } })?.cost, 0.5)
  assert.equal(read({ usage: { ...chat, cost: 0 } }, { usage: { ...chat, cost: 0.5 } }, { usage: chat })?.cost, 0.5)
})

test('our calls and those of other programs are read alike', () => {
  const event = `data: ${JSON.stringify({ choices: [], x_groq: { usage: { ...chat, prompt_tokens: '50' } } })}\n\n`
  const [ours, others] = [answerFilter('chat-completions'), responseReader('chat-completions')]
  ours.next(event)
  others.write(new TextEncoder().encode(event))
  assert.deepEqual([ours.usage(), others.end().usage], [of(50, 7), of(50, 7)])
})
