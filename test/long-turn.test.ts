import assert from 'node:assert/strict'
import test from 'node:test'
import {
  assemble,
  type Assembly,
  type Cut,
  layoutOf,
  type Message,
  type ToolDefinition,
  tokenx,
  type Turn,
} from '../src/context.ts'

const STEPS = 40
const tools: readonly ToolDefinition[] = [
  { name: 'read_file', inputSchema: { type: 'object' } },
  { name: 'read_history', inputSchema: { type: 'object' }, reads: 'history' },
]

test('a tool loop of 40 steps in a window of 32k sends what the step before sent, but for a cut now and then', (t) => {
  const calls = loop()
  const shares = calls.slice(1).map((call, index) => sharedWith(calls[index]!, call))
  t.diagnostic(
    `share of each request that begins the next, %: ${shares.map((each) => Math.round(each * 100)).join(' ')}`,
  )
  t.diagnostic(`tokens of each request: ${calls.map(({ manifest }) => manifest.used).join(' ')}`)

  const broken = shares.filter((share) => share < 1).length
  assert.ok(broken <= 8, `${broken} of ${shares.length} requests do not begin with the one before`)
  for (const [index, { manifest }] of calls.entries()) {
    if (index === 0 || shares[index - 1] === 1) continue
    assert.ok(manifest.used <= manifest.budget.available * 0.5, `a cut left ${manifest.used}`)
  }
  const prompts = calls.reduce((sum, { manifest }) => sum + manifest.used, 0)
  const fresh = calls.reduce(
    (sum, { manifest }, index) => sum + manifest.used * (1 - (index === 0 ? 0 : shares[index - 1]!)),
    0,
  )
  t.diagnostic(`${Math.round(fresh)} of ${prompts} tokens could not be taken from the request before`)
})

test('messages of people outlast outputs of programs: the six turns before the loop stay to its end', () => {
  for (const { request } of loop()) {
    const texts = request.messages.map(({ content }) => content)
    for (const turn of tiny) for (const { message } of turn.messages) assert.ok(texts.includes(message.content))
  }
})

test('the newest results are complete, and older ones name the call that reads them', () => {
  const { request, manifest } = loop().at(-1)!
  const results = request.messages.flatMap(({ role, content }) => (role === 'tool' ? [JSON.stringify(content)] : []))
  assert.ok(results.at(-1)!.length > 8_000)
  const smaller = results.filter((result) => /(cleared|left out); read_history shows them, call c\d+\]/.test(result))
  assert.ok(smaller.length > STEPS / 2)
  assert.match(manifest.cut?.clearBefore ?? manifest.cut?.excerptBefore ?? '', /^t7\/\d+$/)
})

test('the turn after the loop begins with what the loop left, until the next cut', () => {
  const last = loop().at(-1)!
  const settled = { id: 't7', messages: [...turnAt(STEPS).messages, said({ role: 'assistant', content: 'Done.' })] }
  const next = { id: 't8', messages: [said({ role: 'user', content: 'Thank you.' })] }
  const { cut } = last.manifest
  const after = assemble({ ...setting, history: [...tiny, settled], current: next, ...(cut ? { cut } : {}) })
  assert.equal(sharedWith(last, after), 1)
})

const tiny: readonly Turn[] = Array.from({ length: 6 }, (_, index) => ({
  id: `t${index + 1}`,
  messages: [
    said({ role: 'user', content: `What do you know of thing ${index}?` }),
    said({ role: 'assistant', content: `Thing ${index} is blue.` }),
  ],
}))

const setting = {
  layout: layoutOf('auto'),
  layers: [{ id: 'you', layer: 'system-prompt', renditions: [{ form: 'full', text: 'You are helpful.' }] }],
  tools,
  budget: { window: 32_768, reserve: 6_144 },
  counter: tokenx,
}

/** One call a step, the cut handed on. */
function loop(): readonly Assembly[] {
  const calls: Assembly[] = []
  let cut: Cut | undefined
  for (let step = 0; step <= STEPS; step++) {
    const call = assemble({ ...setting, history: tiny, current: turnAt(step), ...(cut ? { cut } : {}) })
    cut = call.manifest.cut
    calls.push(call)
  }
  return calls
}

function turnAt(steps: number): Turn {
  const messages = Array.from({ length: steps }, (_, index) => stepOf(index)).flat()
  return { id: 't7', messages: [said({ role: 'user', content: 'Read all files and say what they do.' }), ...messages] }
}

/** Results of 8,000 to 12,000 characters. */
function stepOf(index: number) {
  const toolCallId = `c${index}`
  const value = `file ${index}: ${'the quick brown fox reads a line of code 😀. '.repeat(300)}`.slice(
    0,
    8_000 + ((index * 977) % 4_001),
  )
  return [
    said({
      role: 'assistant',
      content: [{ type: 'tool-call', toolCallId, toolName: 'read_file', input: { path: `src/file-${index}.ts` } }],
    }),
    said({
      role: 'tool',
      content: [
        {
          type: 'tool-result',
          toolCallId,
          toolName: 'read_file',
          output: { type: 'text', value: value.toWellFormed() },
        },
      ],
    }),
  ]
}

function said(message: Message) {
  return { message }
}

/** How much of a request the next one begins with, by its tokens. */
function sharedWith(before: Assembly, after: Assembly): number {
  let tokens = 0
  for (const [index, piece] of before.pieces.entries()) {
    if (JSON.stringify(piece.content) !== JSON.stringify(after.pieces[index]?.content)) break
    tokens += piece.tokens
  }
  return tokens / before.manifest.used
}
