import assert from 'node:assert/strict'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { mutated, random } from './kit/random-wires.ts'
import { strictFault } from './kit/strict-formats.ts'
import { scriptedGateway } from './server/scripted-gateway.ts'
import { TOKEN } from './server/served.ts'

/** `LAWS_SEED=71` holds the law against the body of a seed that was printed. */
const only = process.env['LAWS_SEED']
const TIMES = Number(process.env['LAWS_TIMES'] ?? 1)
const BODIES = only === undefined ? Math.ceil(1_000 * TIMES) : 1
const FIRST = only === undefined ? Math.floor(Math.random() * 2 ** 30) : Number(only)
const AT_ONCE = 20

interface RecordedBody {
  readonly path: string
  readonly body: Readonly<Record<string, unknown>>
}

/** What real programs sent: Claude Code, Codex, opencode, pi, OpenClaw. */
const recorded = ['foreign', 'clients'].flatMap((folder) => {
  const path = join(import.meta.dirname, folder, 'recorded')
  return readdirSync(path)
    .filter((file) => file.endsWith('.jsonl'))
    .flatMap((file) =>
      readFileSync(join(path, file), 'utf8')
        .split('\n')
        .filter(Boolean)
        .map((line) => JSON.parse(line) as RecordedBody)
        .filter(({ path: called }) => /^\/v1\/(?:messages|responses|chat\/completions)(?:\?|$)/.test(called)),
    )
})

test('whatever is wrong with what a program sends, it is answered or refused with a sentence', async (t) => {
  const { url } = await scriptedGateway(
    t,
    // What only the program can correct, such as a call without its result, is refused by the server.
    ({ wire, body }) => {
      const message = strictFault(wire, body)
      return message ? { status: 400, body: { error: { message } } } : { text: 'Well.' }
    },
    (baseURL) => ({
      model: 'lab/m',
      providers: { lab: { kind: 'openai-compatible', baseURL, apiKeyEnv: 'KEY' } },
      models: { 'lab/m': { window: 200_000, tools: true, vision: true, reasoning: true } },
    }),
  )
  const faults: string[] = []
  const answered = new Set<number>()
  const send = async (seed: number) => {
    const chances = random(seed)
    const { path, body } = chances.one(recorded)
    let changed: unknown = body
    for (let times = chances.whole(4); times > 0; times -= 1) changed = mutated(changed, chances)
    const response = await fetch(url + path, {
      method: 'POST',
      headers: { authorization: `Bearer ${TOKEN}`, 'content-type': 'application/json' },
      body: JSON.stringify({ ...(changed as object), model: 'lab/m' }),
    })
    const text = await response.text()
    answered.add(response.status)
    if (response.status >= 500) faults.push(`LAWS_SEED=${seed} ${path}: ${response.status} ${text.slice(0, 300)}`)
    if (/invalid_union|"expected":|ZodError/.test(text))
      faults.push(`LAWS_SEED=${seed} ${path}: a dump: ${text.slice(0, 300)}`)
    if (process.env['SHOWN']) console.log(seed, path, response.status, text.slice(0, 200))
  }
  for (let first = 0; first < BODIES && faults.length < 8; first += AT_ONCE) {
    await Promise.all(Array.from({ length: Math.min(AT_ONCE, BODIES - first) }, (_, at) => send(FIRST + first + at)))
  }
  assert.equal(faults.slice(0, 8).join('\n'), '')
  if (only === undefined) assert.ok(answered.has(200) && answered.has(400), 'some are answered and some are refused')
})
