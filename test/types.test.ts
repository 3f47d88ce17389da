import {
  type ModelMessage,
  type StepResult,
  type ToolSet,
  type UIMessage,
  convertToModelMessages,
  generateText,
} from 'ai'
import { MockLanguageModelV4 } from 'ai/test'
import assert from 'node:assert/strict'
import test from 'node:test'
import { assemble, chars, layoutOf, type Request, turnsOf } from '../src/context.ts'

/** What only has to compile: the core's messages are the AI SDK's, in both directions. */
export function sentAsTheyAre(request: Request): ModelMessage[] {
  return request.messages
}

export function takenFromHistory(messages: ModelMessage[]) {
  return turnsOf(messages)
}

export function takenFromStep(step: StepResult<ToolSet, never>) {
  return turnsOf(step.response.messages)
}

export async function takenFromInterface(messages: UIMessage[]) {
  return turnsOf(await convertToModelMessages(messages))
}

test('what an assembly sends is what generateText takes, and what it answers is what turnsOf takes', async () => {
  const model = new MockLanguageModelV4({
    doGenerate: {
      content: [{ type: 'text', text: 'Sunny.' }],
      finishReason: { unified: 'stop', raw: undefined },
      usage: {
        inputTokens: { total: 5, noCache: 5, cacheRead: 0, cacheWrite: 0 },
        outputTokens: { total: 2, text: 2, reasoning: 0 },
      },
      warnings: [],
    },
  })
  const { request } = assemble({
    layout: layoutOf('auto'),
    layers: [{ id: 'you', layer: 'system-prompt', renditions: [{ form: 'full', text: 'You are brief.' }] }],
    ...turnsOf([{ role: 'user', content: 'Weather?' }]),
    budget: { window: 1000, reserve: 100 },
    counter: chars,
  })
  const { response } = await generateText({ model, instructions: request.system, messages: request.messages })
  const { current } = turnsOf([...request.messages, ...response.messages])
  assert.deepEqual(
    current.messages.map(({ message }) => message.role),
    ['user', 'assistant'],
  )
})
