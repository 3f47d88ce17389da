/**
 * A provider of your own, in one file: a package of the AI SDK, with a key, a setting, prices, and the list of its server.
 * `foreword/testing` has a server that answers from a script, so that this runs without a key.
 */
import { systemClock } from 'foreword/runtime'
import { createOpenAICompatible } from '@ai-sdk/openai-compatible'
import { type CatalogRow, createModels, languageModel, listModelsEndpoint, provider } from 'foreword/model'
import { scriptedProvider } from 'foreword/testing'
import { z } from 'zod'

const catalog: readonly CatalogRow[] = [
  {
    id: 'pilot-1',
    window: 64_000,
    maxOutput: 8_000,
    vision: false,
    reasoning: false,
    price: { input: 0.5, output: 2 },
    cache: { kind: 'automatic', minimumTokens: 1024, lifetimeSeconds: 300 },
    date: '2026-11-22',
    source: 'https://harbour.example/prices',
  },
]

export const harbour = provider({
  kind: 'harbour',
  baseURL: 'https://api.harbour.example/v1',
  environmentKeys: ['HARBOUR_API_KEY'],
  settings: { region: z.enum(['north', 'south']).default('north').describe('Where requests are answered.') },
  catalog,
  defaultModel: { name: 'pilot-1', rank: 4 },
  list: listModelsEndpoint,
  open: ({ model, baseURL, apiKey = '', fetch, options }) =>
    createOpenAICompatible({
      name: 'harbour',
      baseURL,
      apiKey,
      headers: { 'x-region': options.region },
      includeUsage: true,
      fetch,
    })(model),
})

const server = await scriptedProvider({ answer: () => ({ text: 'High water is at four.' }) })

const models = createModels({
  clock: systemClock,
  known: [harbour],
  providers: { harbour: { kind: 'harbour', baseURL: server.url, region: 'south' } },
  environment: { HARBOUR_API_KEY: 'a-key' },
})
const model = await models.model('harbour/pilot-1')

const request = { tools: [], messages: [{ role: 'user' as const, content: 'When is high water?' }] }
const { signal } = new AbortController()
let answer = ''
for await (const event of model.call(request, { signal })) {
  if (event.type === 'text-delta') answer += event.text
}
console.log(answer)
console.log('region', server.requests[0]?.headers['x-region'], 'window', model.facts.window)

// A model alone needs no provider.
const lab = createOpenAICompatible({ name: 'lab', baseURL: `${server.url}/v1` })
const alone = languageModel(lab('x/y'), { window: 128_000 })
console.log(alone.id, alone.facts.window)

await server.close()
