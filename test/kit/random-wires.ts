import { setImmediate } from 'node:timers/promises'
import { responseFrames } from '../../src/testing/scripted-provider-frames.ts'
import type { ScriptedAnswer, ScriptedRequest, Wire } from '../../src/testing/scripted-provider-answer.ts'

/** What a server sends for one answer, and what the connection does after that. */
export interface RandomWire {
  readonly seed: number
  readonly wire: Wire
  readonly answer: ScriptedAnswer
  /** Whether everything that was said is there as it was, beside what says nothing. */
  readonly isHarmless: boolean
  readonly pieces: readonly Uint8Array[]
  readonly after: 'end' | 'reset' | 'open'
}

/** The wire of a seed. */
export function randomWire(wire: Wire, seed: number): RandomWire {
  const { chance, whole, one } = random(seed)
  const answer = randomAnswer({ chance, whole, one })
  const request = {
    wire,
    model: 'm',
    body: { messages: [], stream_options: { include_usage: true } },
    bytes: Buffer.alloc(400),
  }
  const frames = responseFrames(answer, request as unknown as ScriptedRequest, seed % 1000)
  const isHarmless = chance(0.4)
  let events = frames.flatMap((frame) => (wire === 'ollama' ? frame.split('\n') : frame.split('\n\n')).filter(Boolean))
  const times = whole(isHarmless ? 3 : 5)
  for (let n = 0; n < times; n += 1) events = (isHarmless ? harmless : harmful)(events, wire, { chance, whole, one })
  const isEnded = isHarmless || chance(0.7)
  if (isEnded && chance(0.3))
    events = [
      ...events,
      ...(wire === 'ollama' ? [] : ['data: {"choices":[{"delta":{"content":"late"}}],"type":"ping"}']),
    ]
  const joined = events.map((event) => event + (wire === 'ollama' ? '\n' : one(['\n\n', '\n\n', '\r\n\r\n']))).join('')
  const bytes = new TextEncoder().encode(chance(0.1) ? `\n${joined}` : joined)
  return {
    seed,
    wire,
    answer,
    isHarmless,
    pieces: split(bytes, whole),
    after: one(['end', 'end', 'end', 'reset', 'open']),
  }
}

/** An answer of these bytes, without a server. */
export function wireResponse({ wire, pieces, after }: RandomWire, signal?: AbortSignal | null): Response {
  let at = 0
  const body = new ReadableStream<Uint8Array>({
    async pull(controller) {
      const piece = pieces[at]
      at += 1
      if (piece) return controller.enqueue(piece)
      await setImmediate()
      if (after === 'end') controller.close()
      if (after === 'reset') controller.error(Object.assign(new TypeError('terminated'), { code: 'ECONNRESET' }))
      if (after === 'open' && !signal?.aborted) {
        await new Promise<void>((resolve) => signal?.addEventListener('abort', () => resolve(), { once: true }))
      }
      if (after === 'open') controller.error(signal?.reason)
    },
  })
  const type = wire === 'ollama' ? 'application/x-ndjson' : 'text/event-stream'
  return new Response(body, { headers: { 'content-type': type } })
}

export interface Chance {
  chance(share: number): boolean
  /** 0 to below `below`. */
  whole(below: number): number
  one<T>(values: readonly T[]): T
}

/** Mulberry32. */
export function random(seed: number): Chance {
  let state = seed >>> 0
  const next = () => {
    state = (state + 0x6d2b79f5) >>> 0
    let bits = Math.imul(state ^ (state >>> 15), 1 | state)
    bits = (bits + Math.imul(bits ^ (bits >>> 7), 61 | bits)) ^ bits
    return ((bits ^ (bits >>> 14)) >>> 0) / 2 ** 32
  }
  const whole = (below: number) => Math.floor(next() * below)
  return { chance: (share) => next() < share, whole, one: (values) => values[whole(values.length)]! }
}

const HALF = '\ud83d'
const WORDS = [
  'Twice ',
  'a day ',
  'the tide ',
  'rises.',
  ' ',
  '\n',
  'été ',
  '🌊 ',
  `half ${HALF}`,
  '<think>',
  '</think>',
  '{"a":1}',
  '[DONE]',
  'data: x\n\n',
]
const NAMES = [
  'look',
  'look',
  'look',
  'look',
  ' look',
  'functions.look',
  'look<|channel|>commentary',
  'lire_été',
  '',
  'x'.repeat(200),
  `lo${HALF}ok`,
  'psql -c "select 1"',
]
const IDS = [
  undefined,
  undefined,
  'c1',
  'c1',
  'call_1',
  'functions.look:0',
  'ü',
  '',
  'y'.repeat(90),
  'y'.repeat(60),
  `c${HALF}`,
  'a b',
]
const INPUTS: readonly unknown[] = [
  {},
  { n: 1 },
  { text: `x${HALF}` },
  { [`k${HALF}`]: 1 },
  '{"n":',
  '',
  'null',
  '[1]',
  '"words"',
  '{"n":1}{"n":1}',
  { deep: { deep: [null, { x: 1e18 }] } },
]

function randomAnswer({ chance, whole, one }: Chance): ScriptedAnswer {
  const texts = () => Array.from({ length: whole(5) }, () => one(WORDS))
  const toolCalls = Array.from({ length: chance(0.6) ? 1 + whole(3) : 0 }, () => {
    const id = one(IDS)
    return { ...(id === undefined ? {} : { id }), name: one(NAMES), input: one(INPUTS) }
  })
  return {
    ...(chance(0.3) ? { reasoning: texts(), ...(chance(0.6) ? { signature: `sealed-${whole(1000)}` } : {}) } : {}),
    ...(chance(0.7) ? { text: texts() } : {}),
    toolCalls,
    ...(chance(0.2) ? { usage: 'silent' as const } : {}),
    ...(chance(0.15) ? { finish: one(['length', 'stop', 'content-filter', 'tool-calls'] as const) } : {}),
  }
}

const ODD: readonly unknown[] = [
  null,
  '',
  ' ',
  0,
  -1,
  1e18,
  true,
  [],
  {},
  [null],
  'odd',
  `h${HALF}`,
  { a: 1 },
  7.5,
  '12',
  'x'.repeat(100),
]
const USAGE: readonly unknown[] = [
  null,
  {},
  [],
  'none',
  { prompt_tokens: 0 },
  { prompt_tokens: -3, completion_tokens: '7' },
  { input_tokens: 1e18, output_tokens: 1e18 },
  { prompt_tokens: 5, prompt_tokens_details: null },
]

/** What says nothing. */
function harmless(events: readonly string[], wire: Wire, { chance, whole, one }: Chance): string[] {
  const at = whole(events.length)
  if (wire === 'ollama') return changed(events, at, (event) => ({ ...event, [`extra${whole(9)}`]: one(ODD) }))
  const silent = [
    ': ping',
    'data:',
    'data: null',
    'data: []',
    'event: ping\ndata: {"type":"ping"}',
    'retry: 10',
    'id: 7',
    'data: {}',
    'data: {"type":"x.unknown","delta":7}',
  ]
  if (chance(0.5)) return events.toSpliced(at, 0, one(silent))
  if (chance(0.3))
    return changed(events, at, (event) =>
      'usage' in event ? { ...event, usage: one(USAGE) } : { ...event, obfuscation: 'abc' },
    )
  return changed(events, at, (event) => ({
    ...event,
    [one(['created', 'system_fingerprint', 'sequence_number', 'service_tier', 'provider'])]: one(ODD),
  }))
}

function harmful(events: readonly string[], _: Wire, chances: Chance): string[] {
  const { whole, one } = chances
  const at = whole(events.length)
  const event = events[at]
  if (event === undefined) return []
  switch (whole(9)) {
    case 0:
      return events.toSpliced(at, 1)
    case 1:
      return events.toSpliced(whole(events.length), 0, event)
    case 2: {
      const other = whole(events.length)
      return events.with(at, events[other]!).with(other, event)
    }
    case 3:
      return events.toSpliced(
        at,
        0,
        one([
          'data: {"half":',
          'data: no json',
          'data: 7',
          'data: "text"',
          'data: {"type":"content_block_stop"}',
          'data: {"choices":[null,{}]}',
          'data: {"type":"response.output_item.done","item":{"type":"function_call"}}',
          '{"message":null}',
        ]),
      )
    case 4:
      return events.slice(0, at + 1)
    default:
      return changed(events, at, (value) => mutated(value, chances))
  }
}

/** A value with one field taken away, added, or made something else, anywhere in it. */
export function mutated(value: unknown, chances: Chance): unknown {
  const { chance, whole, one } = chances
  if (typeof value !== 'object' || value === null) return one(ODD)
  const keys = Object.keys(value)
  const key = keys[whole(keys.length)]
  const entries = Array.isArray(value) ? [...value] : { ...value }
  if (key === undefined) return chance(0.5) ? one(ODD) : value
  const inner = (value as Record<string, unknown>)[key]
  const target = entries as Record<string, unknown>
  if (typeof inner === 'object' && inner !== null && chance(0.75)) target[key] = mutated(inner, chances)
  else if (chance(0.3)) delete target[key]
  else if (key === 'name' || key === 'id') target[key] = one<unknown>([...ODD, ...NAMES, ...IDS])
  else target[key] = one(ODD)
  return Array.isArray(entries) ? entries.filter(() => true) : entries
}

function changed(events: readonly string[], at: number, change: (event: Record<string, unknown>) => unknown): string[] {
  const [, head = '', json = ''] = /^((?:event: [^\n]*\n)?(?:data: )?)(.*)$/s.exec(events[at] ?? '') ?? []
  try {
    const value: unknown = JSON.parse(json)
    if (typeof value !== 'object' || value === null) return [...events]
    return events.toSpliced(at, 1, head + JSON.stringify(change(value as Record<string, unknown>)))
  } catch {
    return [...events]
  }
}

function split(bytes: Uint8Array, whole: (below: number) => number): Uint8Array[] {
  const pieces: Uint8Array[] = []
  for (let at = 0; at < bytes.length;) {
    const size = 1 + whole(whole(3) === 0 ? 9 : 2000)
    pieces.push(bytes.subarray(at, at + size))
    at += size
  }
  return pieces
}
