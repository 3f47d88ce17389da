import assert from 'node:assert/strict'
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Price } from '../../src/context.ts'
import type { ScriptedUsage } from '../../src/testing/scripted-provider-answer.ts'
import { realGateway, type RealGateway } from './gateway.ts'

export const configuredPrice: Price = { input: 0.3, cachedInput: 0.03, cacheWrite: 0.375, output: 1.2 }
export const catalogPrice: Price = { input: 3, cachedInput: 0.3, cacheWrite: 3.75, output: 15 }

/** Numbers that look random and are the same in every run. */
export function numbers(seed: number): (most: number) => number {
  let state = seed
  return (most) => {
    state = (state * 1_103_515_245 + 12_345) % 2_147_483_648
    return state % most
  }
}

/** A gateway after two sessions and a call outside them: with tools, caches, silent answers and models without a price. */
export async function usedGateway(t: Parameters<typeof realGateway>[0]): Promise<RealGateway> {
  const next = numbers(7)
  const gateway = await realGateway(
    t,
    {
      answer: (_request, n) => {
        const promptTokens = 500 + next(90_000)
        const cachedTokens = next(promptTokens)
        const usage: ScriptedUsage = {
          promptTokens,
          cachedTokens,
          cacheWrittenTokens: next(promptTokens - cachedTokens),
          outputTokens: next(4_000),
        }
        if (n % 3 === 1) return { toolCalls: [read('one.txt'), read('two.txt')], usage }
        return { text: `answer ${n}`, usage: n % 7 === 0 ? 'silent' : usage }
      },
    },
    {
      models: { 'openai/scripted': { window: 200_000, price: configuredPrice }, 'openai/unknown': { free: false } },
    },
    async (home) => {
      mkdirSync(join(home, 'workspace'), { recursive: true })
      writeFileSync(join(home, 'workspace', 'one.txt'), 'The first file.\n'.repeat(40))
      writeFileSync(join(home, 'workspace', 'two.txt'), 'The other file.\n')
      writeFileSync(join(home, 'tool-access.json'), JSON.stringify({ global: { enabled: true, mode: 'full' } }))
    },
  )
  const models: readonly [string, string, string] = [
    'openai/scripted',
    'anthropic/claude-sonnet-4-6',
    'ollama/scripted',
  ]
  const first = await gateway.say('hello', { model: models[0] })
  for (let turn = 1; turn < 9; turn += 1) {
    const ended = await gateway.say(`message ${turn}`, { session: first.session, model: models[turn % 3] ?? '' })
    assert.equal(ended.outcome?.type, 'completed', ended.outcome?.message ?? 'no outcome')
  }
  await gateway.say('another session', { model: models[1] })
  await gateway.openai.chat.completions.create({ model: models[0], messages: [{ role: 'user', content: 'alone' }] })
  return gateway
}

function read(path: string) {
  return { name: 'read_file', input: { path } }
}
