import * as fc from 'fast-check'
import { markResult, type Message, type ToolOutput, type ToolResultPart, wholeCharacter } from '../../src/context.ts'
import { sha256 } from '../../src/platform.ts'

/** Messages of one turn in the order they were said: input, steps with calls and results, answer, and what can go wrong. */
export function turnMessages(): fc.Arbitrary<readonly Message[]> {
  return fc
    .record({
      users: fc.oneof(
        { weight: 9, arbitrary: fc.array(userMessage(), { minLength: 1, maxLength: 2 }) },
        fc.constant([]),
      ),
      before: fc.oneof({ weight: 9, arbitrary: fc.constant([]) }, step(), answer()),
      steps: fc.array(step(), { maxLength: 2 }),
      answer: fc.oneof({ weight: 4, arbitrary: answer() }, fc.constant([])),
    })
    .map((parts) => [...parts.before, ...parts.users, ...parts.steps.flat(), ...parts.answer])
}

/** The same without anything that lacks its partner, beginning with a user message. */
export function soundTurnMessages(): fc.Arbitrary<readonly Message[]> {
  return fc
    .record({ user: userMessage(), steps: fc.array(soundStep(), { maxLength: 2 }), answer: answer() })
    .map((parts) => [parts.user, ...parts.steps.flat(), ...parts.answer])
}

/** The same with many steps: a tool loop, in which the model has answered all results but the newest. */
export function longTurnMessages(): fc.Arbitrary<readonly Message[]> {
  return fc
    .record({ user: userMessage(), steps: fc.array(soundStep(), { minLength: 1, maxLength: 9 }) })
    .map((parts) => [parts.user, ...parts.steps.flat()])
}

/** A text of a length that a message may have. */
export function shortText(): fc.Arbitrary<string> {
  return fc.oneof(fc.string({ maxLength: 12 }), words(60), fc.constant('好的，谢谢'))
}

export function words(most: number): fc.Arbitrary<string> {
  return fc
    .tuple(fc.constantFrom('sunny', 'north wind', '{"a": 1}', '😀', 'a 👩‍🚀 waves\n'), fc.integer({ min: 1, max: most }))
    .map(([word, length]) => {
      const text = word.repeat(Math.ceil(length / word.length))
      return text.slice(0, wholeCharacter(text, length))
    })
}

function userMessage(): fc.Arbitrary<Message> {
  const size = { foreword: { width: 640, height: 480 } }
  const image = (providerOptions?: typeof size) =>
    providerOptions
      ? { type: 'image' as const, image: 'aGk=', providerOptions }
      : { type: 'image' as const, image: 'aGk=' }
  const file = (mediaType: string) => ({ type: 'file' as const, data: 'aGk=', mediaType, filename: 'paper.pdf' })
  return fc.oneof(
    { weight: 6, arbitrary: shortText().map((content): Message => ({ role: 'user', content })) },
    fc
      .tuple(shortText(), fc.constantFrom(image(), image(size), file('application/pdf'), file('image/png')))
      .map(([text, part]): Message => ({ role: 'user', content: [{ type: 'text', text }, part] })),
  )
}

function answer(): fc.Arbitrary<readonly Message[]> {
  return fc.oneof(
    shortText().map((content): readonly Message[] => [{ role: 'assistant', content }]),
    shortText().map((text): readonly Message[] => [
      {
        role: 'assistant',
        content: [
          { type: 'reasoning', text: 'hm' },
          { type: 'text', text },
        ],
      },
    ]),
    fc.constant(undefined).map((): readonly Message[] => [searchedByProvider()]),
  )
}

/** A tool that the provider runs itself answers within the assistant's message. */
function searchedByProvider(): Message {
  return {
    role: 'assistant',
    content: [
      { type: 'tool-call', toolCallId: 'p1', toolName: 'web', input: {}, providerExecuted: true },
      { type: 'tool-result', toolCallId: 'p1', toolName: 'web', output: { type: 'text', value: 'found' } },
      { type: 'text', text: 'It is so.' },
    ],
  }
}

/** One assistant message with calls, and their results; some calls or results without their partner. */
function step(): fc.Arbitrary<readonly Message[]> {
  const flawed = fc
    .record({ calls: callIds(1), results: callIds(0), says: fc.boolean(), output: toolOutput() })
    .map(({ calls, results, says, output }) => stepOf(calls, results, says, false, () => output))
  return fc.oneof({ weight: 4, arbitrary: soundStep() }, flawed)
}

function soundStep(): fc.Arbitrary<readonly Message[]> {
  return fc
    .record({
      calls: callIds(1).map((ids) => [...new Set(ids)]),
      says: fc.boolean(),
      apart: fc.boolean(),
      outputs: fc.array(toolOutput(), { minLength: 3, maxLength: 3 }),
    })
    .map(({ calls, says, apart, outputs }) => stepOf(calls, calls, says, apart, (index) => outputs[index]!))
}

/** A small pool, so that ids come back in later steps and turns, as those of small local models do. */
function callIds(minLength: number): fc.Arbitrary<readonly string[]> {
  return fc.array(fc.constantFrom('c1', 'c2', 'c3'), { minLength, maxLength: 3 })
}

function stepOf(
  calls: readonly string[],
  results: readonly string[],
  says: boolean,
  apart: boolean,
  outputOf: (index: number) => ToolOutput,
): readonly Message[] {
  const said = says ? [{ type: 'text' as const, text: 'Let me look.' }] : []
  const parts = results.map((toolCallId, index): ToolResultPart => {
    const part = { type: 'tool-result', toolCallId, toolName: 'search', output: outputOf(index) } as const
    // Some are marked as texts of others, as the runtime marks what a tool gave.
    const digest = sha256(JSON.stringify(part.output))
    return digest < '8' ? markResult(part, { as: digest < '2' ? 'guidance' : 'material', digest }) : part
  })
  return [
    {
      role: 'assistant',
      content: [
        ...said,
        ...calls.map((toolCallId) => ({
          type: 'tool-call' as const,
          toolCallId,
          toolName: 'search',
          input: { q: 'weather' },
        })),
      ],
    },
    ...(apart
      ? parts.map((part): Message => ({ role: 'tool', content: [part] }))
      : parts.length > 0
        ? [{ role: 'tool', content: parts } as Message]
        : []),
  ]
}

/** Outputs too small to shrink, ones that only clearing shortens, and ones that have an excerpt. */
function toolOutput(): fc.Arbitrary<ToolOutput> {
  return fc.oneof(
    fc.constant<ToolOutput>({ type: 'text', value: 'TR' }),
    words(900).map((value): ToolOutput => ({ type: 'text', value })),
    { weight: 3, arbitrary: words(6000).map((value): ToolOutput => ({ type: 'text', value })) },
    words(3000).map((value): ToolOutput => ({ type: 'error-text', value })),
    words(3000).map((value): ToolOutput => ({ type: 'json', value: { value } })),
    words(3000).map((value): ToolOutput => ({ type: 'error-json', value: [value] })),
    fc.constantFrom<ToolOutput>({ type: 'execution-denied' }, { type: 'execution-denied', reason: 'not allowed here' }),
    words(3000).map((text): ToolOutput => ({
      type: 'content',
      value: [
        { type: 'text', text },
        { type: 'file', mediaType: 'image/png', data: { type: 'data', data: 'aGk=' } },
      ],
    })),
  )
}
