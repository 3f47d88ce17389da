import * as fc from 'fast-check'
import assert from 'node:assert/strict'
import test from 'node:test'
import { chars, declared, type Message, messageTokens, type TokenCounter, tokenx } from '../../context.ts'
import { countInSlices, rememberCounts, textTokens } from './counters.ts'
import { tokenCounts } from '../calls/turn-projection.ts'
import { systemClock } from '../../platform.ts'

const long = 'The keeper of the lamp notes 7 ships, 東京 and the tide.\n\n'.repeat(3000)

const messages: fc.Arbitrary<Message> = fc.oneof(
  fc.constantFrom(long, `${long}x`, 'short').map((content): Message => ({ role: 'user', content })),
  fc.array(fc.constantFrom(long, long.slice(7), 'Hello')).map((texts): Message => ({
    role: 'assistant',
    content: [
      ...texts.map((text) => ({ type: 'text', text }) as const),
      { type: 'tool-call', toolCallId: 'c', toolName: 'print', input: { texts } },
    ],
  })),
  fc.constantFrom(long, 'Sunny').map((value): Message => ({
    role: 'tool',
    content: [{ type: 'tool-result', toolCallId: 'c', toolName: 'print', output: { type: 'text', value } }],
  })),
)

test('what is counted in slices costs what it costs in one go', async () => {
  await fc.assert(
    fc.asyncProperty(
      messages,
      fc.constantFrom(tokenx, chars, declared, rememberCounts(tokenx)),
      async (message, by) => {
        assert.equal(
          await countInSlices(systemClock, by, (counter) => messageTokens(counter, message)),
          messageTokens(by, message),
        )
        assert.deepEqual(
          await countInSlices(systemClock, by, (counter) => tokenCounts(counter, message)),
          tokenCounts(by, message),
        )
      },
    ),
    { numRuns: 60 },
  )
})

test('a long text is never counted in one go', async () => {
  const counter: TokenCounter = {
    ...tokenx,
    text(text) {
      assert.ok(text.length < 65_536, `${text.length} characters at once`)
      return tokenx.text(text)
    },
  }
  assert.equal(await textTokens(systemClock, counter, long), tokenx.text(long))
  assert.equal(await textTokens(systemClock, counter, 'short'), tokenx.text('short'))
})

test('a text that was counted in slices is not counted again', async () => {
  let counted = 0
  const counting: TokenCounter = {
    ...tokenx,
    *slices(text) {
      counted += 1
      yield* tokenx.slices!(text)
    },
  }
  const counter = rememberCounts(counting)
  const first = await textTokens(systemClock, counter, long)
  assert.equal(await textTokens(systemClock, counter, long), first)
  assert.equal(counter.text(long), first)
  assert.equal(counted, 1)
})

test('what is remembered is bounded: the oldest texts are counted again', () => {
  let counted = 0
  const counter = rememberCounts({ ...chars, text: (text) => (counted += 1) && text.length })
  const texts = Array.from({ length: 5 }, (_, index) => `${index}`.repeat(5_000_000))
  for (const text of texts) counter.text(text)
  assert.equal(counted, 5)
  counter.text(texts[4]!)
  assert.equal(counted, 5)
  counter.text(texts[0]!)
  assert.equal(counted, 6)
})
