import assert from 'node:assert/strict'
import { test } from 'node:test'
import { readUsage } from './usage.ts'

const silent = { total: undefined, noCache: undefined, cacheRead: undefined, cacheWrite: undefined }

const parsed = (raw: Record<string, number | { readonly cached_tokens: number }>) =>
  readUsage({
    inputTokens: silent,
    outputTokens: { total: undefined, text: undefined, reasoning: undefined },
    raw,
  })

test('uncached and cached tokens that a provider reports separately are added', () => {
  const { promptTokens, cachedTokens } = parsed({ prompt_tokens: 30, prompt_tokens_details: { cached_tokens: 3000 } })
  assert.deepEqual([promptTokens, cachedTokens], [3030, 3000])
})

test('cached tokens that are a part of the prompt are not counted twice', () => {
  const cached = (tokens: number) => parsed({ prompt_tokens: 3000, prompt_tokens_details: { cached_tokens: tokens } })
  assert.deepEqual([cached(2900).promptTokens, cached(3000).promptTokens], [3000, 3000])
  assert.equal(parsed({ prompt_tokens: 3000 }).promptTokens, 3000)
  assert.equal(parsed({ completion_tokens: 1 }).promptTokens, undefined)
})
