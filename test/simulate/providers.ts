import type { ScriptedAnswer, ScriptedRequest } from '../../src/testing/scripted-provider-answer.ts'
import type { Random } from './random.ts'
import type { NetworkAnswer } from './virtual-network.ts'
import { words } from './words.ts'

/** What a provider does with a call: mostly it answers. */
export function scriptedBehaviour(random: Random): (request: ScriptedRequest) => NetworkAnswer {
  return (request) => {
    const network = { delay: random.below(2_000), pause: random.pick([0, 5, 400]), splits: random.chance(0.3) }
    const wrong = random.chance(0.3) ? fault(random) : undefined
    if (wrong) return { ...network, answer: { ...content(random, request), ...wrong } }
    if (random.chance(0.03))
      return { ...network, splits: false, garbage: 1 + random.below(3), answer: content(random, request) }
    return { ...network, answer: content(random, request) }
  }
}

function content(random: Random, { tools }: ScriptedRequest): ScriptedAnswer {
  const text = words(random)
  if (tools.length === 0 || random.chance(0.6)) {
    return {
      text,
      ...(random.chance(0.1) && { usage: 'silent' as const }),
      ...(random.chance(0.1) && { reasoning: words(random) }),
    }
  }
  const own = tools.filter((name) => name in INPUTS)
  const names = Array.from({ length: 1 + random.below(3) }, () =>
    random.chance(0.05) ? 'no_such_tool' : random.pick(own.length > 0 ? own : tools),
  )
  const id = random.chance(0.05) ? { id: 'call_twice' } : {}
  const toolCalls = names.map((name) => ({
    ...id,
    name,
    input: random.chance(0.05) ? '{"to": ' : (INPUTS[name]?.(random) ?? {}),
  }))
  return { ...(random.chance(0.5) && { text }), toolCalls }
}

const INPUTS: Readonly<Record<string, (random: Random) => object>> = {
  send_letter: (random) => ({ to: random.pick(['Ann', 'Bob']) }),
  read_barometer: () => ({}),
  wait_for_tide: () => ({}),
  list_files: () => ({}),
  read_file: (random) => ({ path: random.pick(['harbour.md', 'missing.md']) }),
}

function fault(random: Random): ScriptedAnswer {
  return random.pick<() => ScriptedAnswer>([
    () => ({
      status: 429,
      headers: { 'retry-after': String(random.below(90)) },
      body: { error: { message: 'too many requests' } },
    }),
    () => ({ status: random.pick([500, 502, 503, 529]), body: { error: { message: 'overloaded' } } }),
    () => ({ status: 400, body: { error: { message: 'this is not a request', code: 'invalid' } } }),
    () => ({
      status: 400,
      body: {
        error: { message: "This model's maximum context length is 4096 tokens.", code: 'context_length_exceeded' },
      },
    }),
    () => ({ status: 401, body: { error: { message: 'no such key' } } }),
    () => ({ cutAfter: 0 }),
    () => ({ cutAfter: 1 + random.below(6) }),
    () => ({ endAfter: 1 + random.below(6) }),
    () => ({ hangAfter: random.below(6) }),
    () => ({ finish: 'length' }),
    () => ({ finish: 'content-filter' }),
    () => ({ streamError: { message: 'the server is overloaded' } }),
  ])()
}
