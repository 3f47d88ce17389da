/**
 * The core inside somebody else's agent loop: the AI SDK calls the model, Foreword decides what it reads. The model here
 * is the AI SDK's own mock, so that this runs without a key: put `anthropic('…')` or `openai('…')` in its place.
 */
import { type ModelMessage, simulateReadableStream, streamText } from 'ai'
import { MockLanguageModelV4 } from 'ai/test'
import { assemble, type Cut, type Layer, layoutOf, outline, tokenx, turnsOf } from 'foreword/context'

const layers: readonly Layer[] = [
  { id: 'pilot', layer: 'system-prompt', renditions: [{ form: 'full', text: 'You are a harbour pilot.' }] },
  { id: 'brevity', layer: 'reminder', renditions: [{ form: 'full', text: 'One sentence, please.' }] },
]
const conversation: ModelMessage[] = []
let cut: Cut | undefined

for (const question of [
  'Is it safe to enter?',
  'When is high water?',
  `My log says: ${'fog, '.repeat(60)}is that right?`,
]) {
  conversation.push({ role: 'user', content: question })
  const { request, manifest } = assemble({
    layout: layoutOf('auto'),
    layers,
    ...turnsOf(conversation),
    budget: { window: 280, reserve: 100 },
    counter: tokenx,
    ...(cut ? { cut } : {}),
  })
  cut = manifest.cut
  console.log(outline(manifest))

  const answer = streamText({ model: model(), instructions: request.system, messages: request.messages })
  for await (const text of answer.textStream) process.stdout.write(text)
  console.log('\n')
  conversation.push(...(await answer.response).messages)
}

/** Says the same whatever it is asked. */
function model() {
  const usage = {
    inputTokens: { total: 20, noCache: 20, cacheRead: 0, cacheWrite: 0 },
    outputTokens: { total: 6, text: 6, reasoning: 0 },
  }
  return new MockLanguageModelV4({
    doStream: {
      stream: simulateReadableStream({
        chunks: [
          { type: 'text-start', id: '1' },
          { type: 'text-delta', id: '1', delta: 'Wait for the flood, ' },
          { type: 'text-delta', id: '1', delta: 'then enter.' },
          { type: 'text-end', id: '1' },
          { type: 'finish', finishReason: { unified: 'stop', raw: undefined }, usage },
        ],
      }),
    },
  })
}
