import { type Message, messageTokens, tokenx } from '../../src/context.ts'

/** What is said in one turn of a trace. */
export interface TraceTurn {
  readonly id: string
  /** The input, then calls and results of tools, then the answer. */
  readonly messages: readonly Message[]
  /** Since the turn before, s. */
  readonly pause: number
}

/** A conversation as it happened, with the window that it is sent into. */
export interface Trace {
  readonly name: string
  readonly window: number
  /** Of system text and tools, tokens. */
  readonly head: number
  readonly turns: readonly TraceTurn[]
}

/** The same numbers in every run. */
function randomFrom(seed: number): () => number {
  let state = seed
  return () => {
    state = (state * 1_664_525 + 1_013_904_223) % 4_294_967_296
    return state / 4_294_967_296
  }
}

const WORDS =
  'the harbour tide report function result value user window error test file line change because please note order water level station returns array config build deploy server request'.split(
    ' ',
  )

/** Text of about so many tokens. */
export function textOf(random: () => number, tokens: number): string {
  const words: string[] = []
  for (let count = 0; count < Math.max(1, tokens); count += 1) words.push(WORDS[Math.floor(random() * WORDS.length)]!)
  return words.join(' ')
}

interface Shape {
  readonly seed: number
  readonly turns: number
  readonly asked: readonly [number, number]
  readonly steps: readonly [number, number]
  readonly result: readonly [number, number]
  readonly answered: readonly [number, number]
  /** Share of turns before which nobody wrote for longer than a cache lives. */
  readonly pauses: number
}

function between(random: () => number, [least, most]: readonly [number, number]): number {
  return Math.round(least + random() * (most - least))
}

function talk(shape: Shape): readonly TraceTurn[] {
  const random = randomFrom(shape.seed)
  return Array.from({ length: shape.turns }, (_, number) => {
    const id = `turn-${number + 1}`
    const messages: Message[] = [
      { role: 'user', content: `${number}: ${textOf(random, between(random, shape.asked))}` },
    ]
    for (let step = between(random, shape.steps); step > 0; step -= 1) {
      const toolCallId = `${id}-${step}`
      const input = { path: `src/${WORDS[Math.floor(random() * WORDS.length)]!}-${number}.ts` }
      const value = textOf(random, between(random, shape.result))
      messages.push({ role: 'assistant', content: [{ type: 'tool-call', toolCallId, toolName: 'read_file', input }] })
      messages.push({
        role: 'tool',
        content: [{ type: 'tool-result', toolCallId, toolName: 'read_file', output: { type: 'text', value } }],
      })
    }
    messages.push({ role: 'assistant', content: textOf(random, between(random, shape.answered)) })
    return { id, messages, pause: random() < shape.pauses ? 7_200 : 20 }
  })
}

const tools: Shape = {
  seed: 7,
  turns: 60,
  asked: [30, 300],
  steps: [0, 2],
  result: [200, 3_200],
  answered: [150, 900],
  pauses: 0,
}

/** The four traces of docs: a talk with tools in two windows, a coding agent, a chat with pauses. */
export const traces: readonly Trace[] = [
  { name: 'talk with tools, 32k', window: 32_000, head: 3_000, turns: talk(tools) },
  { name: 'talk with tools, 64k', window: 64_000, head: 3_000, turns: talk({ ...tools, turns: 110 }) },
  {
    name: 'coding agent, 32k',
    window: 32_000,
    head: 4_000,
    turns: talk({ ...tools, seed: 11, turns: 16, steps: [4, 18], result: [100, 1_100], answered: [80, 400] }),
  },
  {
    name: 'chat with pauses, 32k',
    window: 32_000,
    head: 1_500,
    turns: talk({
      ...tools,
      seed: 13,
      turns: 140,
      steps: [0, 0],
      asked: [40, 500],
      answered: [200, 1_100],
      pauses: 0.12,
    }),
  },
]

/** Everything that is said, once, with the head: what must be paid in full whatever one does. Tokens. */
export function newTokens({ head, turns }: Trace): number {
  return turns.reduce(
    (sum, { messages }) => messages.reduce((of, message) => of + messageTokens(tokenx, message), sum),
    head,
  )
}
