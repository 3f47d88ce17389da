import assert from 'node:assert/strict'
import { test } from 'node:test'
import { providers as known } from '../src/capabilities/providers.ts'
import type { AnyMessage, AssistantMessage, ToolMessage } from '../src/context.ts'
import { createModels, type Model, ModelError, type ModelRequest, type Models } from '../src/model.ts'
import { clockOf, systemClock } from '../src/platform.ts'
import { textPieces, type Wire } from '../src/testing/scripted-provider-answer.ts'
import { responseFrames } from '../src/testing/scripted-provider-frames.ts'
import { type RandomWire, randomWire, wireResponse } from './kit/random-wires.ts'
import { strictFault } from './kit/strict-formats.ts'
import { opened, tool } from './runtime/opened.ts'

/** `LAWS_SEED=71` holds the law against the wire of a seed that was printed, on each format. */
const only = process.env['LAWS_SEED']
/** A sixth of the answers, others each time. `npm run test:long` tries sixty times as many. */
const times = Number(process.env['LAWS_TIMES'] ?? 1 / 6)
/** For each format. */
const WIRES = Math.ceil(times * 900)
/** Other wires each time. */
const FIRST = only === undefined ? Math.floor(Math.random() * 2 ** 30) : Number(only)
const AT_ONCE = 150

/** A model of each format: the real packages, before servers that answer what the test says. */
const formats = [
  ['local/m', 'openai-chat'],
  ['openai/m', 'openai-chat'],
  ['responses/m', 'openai-responses'],
  ['anthropic/m', 'anthropic'],
  ['ollama/m', 'ollama'],
] as const satisfies readonly (readonly [string, Wire])[]

/** Other servers of formats whose servers seal their reasoning: what is not theirs they refuse. */
const servers = [
  ...formats,
  ['anthropic2/m', 'anthropic'],
  ['responses2/m', 'openai-responses'],
  ['local2/m', 'openai-chat'],
] as const satisfies readonly (readonly [string, Wire])[]

/** What waits is over a hundred times sooner. */
const clock = clockOf({
  ...systemClock,
  timer: (milliseconds, work, options) =>
    systemClock.timer(milliseconds / (milliseconds > 10_000 ? 400 : 100), work, options),
})

const shown = { capabilities: ['tools', 'thinking', 'vision'], model_info: { 'm.context_length': 32_768 } }

/** The models, before servers that give these answers. */
function modelsWith(answer: (id: string, body: string, signal: AbortSignal | null | undefined) => Response): Models {
  const server = (name: string) => ({
    baseURL: `http://127.0.0.1:9/${name}/v1`,
    apiKeyEnv: 'KEY',
    timeouts: { firstMs: 60_000, idleMs: 60_000 },
  })
  return createModels({
    clock,
    known,
    environment: { KEY: 'sk-test-0123456789abcdef' },
    async fetch(input, init) {
      const url = new URL(input instanceof Request ? input.url : input)
      if (url.pathname.endsWith('/api/show')) return Response.json(shown)
      const id = `${url.pathname.split('/')[1]}/m`
      return answer(id, new TextDecoder().decode(init?.body as Uint8Array), init?.signal)
    },
    providers: {
      local: { kind: 'openai-compatible', ...server('local') },
      openai: { kind: 'openai', ...server('openai') },
      responses: { kind: 'openai', api: 'responses', ...server('responses') },
      anthropic: { kind: 'anthropic', ...server('anthropic') },
      anthropic2: { kind: 'anthropic', ...server('anthropic2') },
      responses2: { kind: 'openai', api: 'responses', ...server('responses2') },
      local2: { kind: 'openai-compatible', ...server('local2') },
      ollama: { kind: 'ollama', ...server('ollama') },
    },
    models: Object.fromEntries(
      servers.map(([id]) => [id, { reasoning: true, tools: true, vision: true, window: 32_768, maxOutput: 4_000 }]),
    ),
  })
}

/** The wire that the newest message of a body asks for. */
function nameIn(body: string): string {
  return [...body.matchAll(/Now ([\w-]+)\./g)].at(-1)?.[1] ?? ''
}

const running = new Map<string, RandomWire>()
const models = modelsWith((_, body, signal) => wireResponse(running.get(nameIn(body))!, signal))
const callees = new Map<string, Model>(
  await Promise.all(servers.map(async ([id]) => [id, await models.model(id)] as const)),
)

const tools = [{ name: 'look', description: 'Looks.', inputSchema: { type: 'object', properties: {} } }]
const user = (content: string): AnyMessage => ({ role: 'user', content })

/** The next requests after an answer: the results of its calls, and a word of the person. */
function following(message: AssistantMessage): readonly AnyMessage[] {
  const calls = typeof message.content === 'string' ? [] : message.content.filter((part) => part.type === 'tool-call')
  const isEmpty = typeof message.content === 'string' ? message.content === '' : message.content.length === 0
  const results: ToolMessage[] =
    calls.length === 0
      ? []
      : [
          {
            role: 'tool',
            content: calls.map(({ toolCallId, toolName }) => ({
              type: 'tool-result',
              toolCallId,
              toolName,
              output: { type: 'text', value: 'Seen.' },
            })),
          },
        ]
  return [...(isEmpty ? [] : [message]), ...results, user('Go on.')]
}

async function bodyOf(model: Model, request: ModelRequest): Promise<Record<string, unknown>> {
  let body: Uint8Array | undefined
  const signal = new AbortController().signal
  await model.requestBody!(request, { signal, reasoning: 'low' }, (bytes) => void (body = bytes))
  return JSON.parse(new TextDecoder().decode(body)) as Record<string, unknown>
}

function issuedBy(wire: RandomWire): ReadonlySet<string> {
  const all = Buffer.concat(wire.pieces).toString('utf8')
  const found = [...all.matchAll(/"(?:signature|thought_signature|encrypted_content|data)":\s*("(?:[^"\\]|\\.)*")/g)]
  return new Set(found.map(([, text]) => JSON.parse(text!) as string))
}

/** Says what is wrong with one wire. */
async function fault(id: (typeof formats)[number][0], wire: RandomWire) {
  const model = callees.get(id)!
  const name = `${id} ${wire.seed}`.replaceAll(/\W/g, '-')
  running.set(name, wire)
  const begun: readonly AnyMessage[] = [user('Look.'), { role: 'assistant', content: 'Yes?' }, user(`Now ${name}.`)]
  const request = { tools, system: 'Be brief.', messages: begun }
  let text = ''
  let said: AssistantMessage | undefined
  try {
    for await (const event of model.call(request, { signal: new AbortController().signal, reasoning: 'low' })) {
      if (event.type === 'text-delta') text += event.text
      if (event.type === 'finish') said = event.message
    }
  } catch (error) {
    if (!(error instanceof ModelError)) throw error
    if (wire.isHarmless) return `a harmless wire failed: ${error.message}`
    return /validation failed|invalid_union|"path":|Expected .* received/i.test(error.message)
      ? `the dump of a schema: ${error.message.slice(0, 300)}`
      : undefined
  }
  running.delete(name)
  if (!said) return 'no end'
  const lost = wire.isHarmless ? lostFrom(wire, said) : undefined
  if (lost) return lost
  const messages = [...begun, ...following(said), ...followingAgain(said)]
  for (const [other, format] of servers) {
    const body = await bodyOf(callees.get(other)!, { ...request, messages })
    const isOwn = other === id
    const why = strictFault(format, body, isOwn ? issuedBy(wire) : new Set())
    if (why) return `${other} refuses the next request: ${why}`
  }
  return undefined
}

/** The model says the same again: ids come twice. */
function followingAgain(message: AssistantMessage): readonly AnyMessage[] {
  return following(message)
}

/** Text and calls of a wire on which nothing was changed that says something. */
function lostFrom({ answer, wire }: RandomWire, said: AssistantMessage): string | undefined {
  const parts = typeof said.content === 'string' ? [] : said.content
  const words = (type: 'text' | 'reasoning') =>
    parts.flatMap((part) => (part.type === type ? [part.text] : [])).join('')
  const plain = (text: string) => text.replaceAll(/<\/?think>|\s/g, '').toWellFormed()
  const expected = plain([...textPieces(answer.reasoning), ...textPieces(answer.text)].join(''))
  const got = plain(words('reasoning') + words('text'))
  if (got !== expected) return `lost: ${JSON.stringify({ got, expected })}`
  const names = parts.flatMap((part) => (part.type === 'tool-call' ? [part.toolName] : []))
  const wanted = [
    ...new Map(
      (answer.toolCalls ?? []).map((call, at) => [
        wire === 'ollama' || call.id === undefined || call.id === ''
          ? at
          : `${call.id} ${call.name} ${JSON.stringify(call.input)}`,
        call.name,
      ]),
    ).values(),
  ]
  const filled = wanted.filter((name) => name !== '')
  return names.length >= filled.length || names.length === new Set(names).size
    ? undefined
    : `calls: ${JSON.stringify({ names, wanted })}`
}

for (const [id, format] of formats) {
  test(`${id}: whatever it says, the next request is one that a strict server of every format accepts`, async () => {
    const faults: string[] = []
    for (let first = 0; first < (only ? 1 : WIRES) && faults.length < 8; first += AT_ONCE) {
      const count = only ? 1 : Math.min(AT_ONCE, WIRES - first)
      const found = await Promise.all(
        Array.from({ length: count }, async (_, index) => {
          const wire = randomWire(format, FIRST + first + index)
          const why = await fault(id, wire)
          if (why && process.env['UNSHRUNK'])
            console.log(Buffer.concat(wire.pieces).toString(), wire.after, JSON.stringify(wire.answer))
          return why === undefined ? [] : [`LAWS_SEED=${wire.seed} ${id}: ${why}`]
        }),
      )
      faults.push(...found.flat())
    }
    assert.equal(faults.slice(0, 8).join('\n'), '')
  })
}

/** Sessions of each format, and random answers in each. */
const [SESSIONS, TURNS] = only === undefined ? [Math.ceil(20 * times), 10] : [1, 1]

test('whatever they say, no session is stuck: at its model, at a model of any other format, and after a restart', async (t) => {
  const faults: string[] = []
  const wires = new Map<string, Wire>(servers)
  const asked = new Set<string>()
  const issued = new Map<string, Set<string>>(servers.map(([id]) => [id, new Set<string>()]))
  const plain = new Map<string, RandomWire>(
    servers.map(([id, format]) => [
      id,
      { ...randomWire(format, 0), pieces: plainPieces(format), after: 'end' as const },
    ]),
  )
  const strict = modelsWith((id, body, signal) => {
    const name = nameIn(body)
    const why = strictFault(wires.get(id)!, JSON.parse(body) as Record<string, unknown>, issued.get(id))
    if (why) {
      faults.push(`${name}: ${id} refuses: ${why}`)
      return Response.json({ error: { message: why, type: 'invalid_request_error' } }, { status: 400 })
    }
    const wire = asked.has(name) ? undefined : running.get(name)
    asked.add(name)
    for (const sealed of wire ? issuedBy(wire) : []) issued.get(id)!.add(sealed)
    return wireResponse(wire ?? plain.get(id)!, signal)
  })
  const look = tool('look', async () => ({ ok: true, output: 'Seen.' }))
  const settings = { reasoning: 'low', notes: 'off', retryDelaysMs: [] } as const
  let at = await opened(t, { models: strict, tools: [look], settings, timers: clock })
  const sessions = await Promise.all(
    formats.flatMap(([id, format]) =>
      Array.from({ length: SESSIONS }, async (_, number) => {
        const { session } = await at.say('Hello.', { model: id })
        for (let turn = 0; turn < TURNS; turn += 1) {
          const wire = randomWire(format, FIRST + number * TURNS + turn)
          const name = `${id} ${wire.seed}`.replaceAll(/\W/g, '-')
          running.set(name, wire)
          await at.say(`Now ${name}.`, { session })
        }
        return { session, id }
      }),
    ),
  )
  const ask = async () => {
    for (const { session, id } of sessions) {
      for (const [other] of servers) {
        await at.runtime.setModel(session, other)
        const { outcome } = await at.say('Go on.', { session })
        if (outcome?.type !== 'completed')
          faults.push(`${session} of ${id} is stuck at ${other}: ${JSON.stringify(outcome)}`)
      }
    }
  }
  await ask()
  at = await at.reopened()
  await ask()
  for (const { session } of sessions) {
    const { different } = await at.runtime.replay(session)
    if (different.length > 0) faults.push(`${session} is built again otherwise`)
  }
  assert.equal(faults.slice(0, 8).join('\n'), '')
})

function plainPieces(wire: Wire): readonly Uint8Array[] {
  const request = { wire, model: 'm', body: { messages: [] }, bytes: Buffer.alloc(4_000) }
  return [Buffer.from(responseFrames({ text: 'Well.', usage: 'silent' }, request as never, 1).join(''))]
}
