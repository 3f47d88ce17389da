import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import test from 'node:test'
import { recordedCalls, send, startGateway } from './gateway.ts'
import { startVendor } from './vendor.ts'

/** `BODIES=10000 npm run test:slow` sends that many, and `BODIES_SEED` others or those of a failure. */
const BODIES = Number(process.env['BODIES'] ?? 500)
const SEED = Number(process.env['BODIES_SEED'] ?? 20_261_124)
const AT_ONCE = 16

test(
  `${BODIES} random valid bodies of the seed ${SEED} leave byte by byte, and are put together again from what is kept`,
  { timeout: 1_800_000 },
  async (t) => {
    const vendor = await startVendor(t, (_, outgoing) => void outgoing.end('{}'))
    const gateway = await startGateway(t, {
      providers: {
        anthropic: { kind: 'anthropic', baseURL: `${vendor.url}/v1` },
        openai: { kind: 'openai', baseURL: `${vendor.url}/v1` },
      },
    })
    const paths = ['/anthropic/v1/messages', '/openai/v1/responses', '/openai/v1/chat/completions']
    const wanted = new Map<string, number>()
    const random = generator(SEED)
    let next = 0
    async function worker(): Promise<void> {
      while (next < BODIES) {
        const path = paths[next % paths.length]!
        next += 1
        const body = randomBody(random)
        const digest = hash(body)
        wanted.set(digest, (wanted.get(digest) ?? 0) + 1)
        const headers = [
          'x-foreword-token',
          gateway.token,
          'x-api-key',
          'own',
          'user-agent',
          'claude-cli/2.1.330 (external, cli)',
          'x-claude-code-session-id',
          `session-${next % 40}`,
        ]
        assert.equal((await send(`${gateway.url}/through${path}`, { headers, body })).status, 200)
      }
    }
    await Promise.all(Array.from({ length: AT_ONCE }, worker))
    for (const { body } of vendor.received) {
      const digest = hash(body)
      const left = wanted.get(digest) ?? 0
      assert.ok(left > 0, `a body that was not sent arrived: ${body.toString().slice(0, 200)}`)
      wanted.set(digest, left - 1)
    }
    assert.equal(vendor.received.length, BODIES)
    await recordedCalls(gateway)
    assert.deepEqual(gateway.runtime.foreign.state(), { open: 0, recorded: BODIES, lost: 0 })
    for (const { id } of await gateway.runtime.store.sessions()) {
      const { calls, wires } = await gateway.runtime.replay(id)
      assert.equal(wires?.identical, calls)
    }
  },
)

/** JSON as a text, with what `JSON.stringify` would never write: odd blanks, numbers, escapes, and keys that come twice. */
function randomBody(random: () => number): string {
  const pick = <Value>(values: readonly Value[]): Value => values[Math.floor(random() * values.length)]!
  const blank = () => pick(['', '', '', ' ', '\n  ', '\t', '\r\n'])
  const text = (): string => {
    const parts = Array.from({ length: Math.floor(random() * 6) }, () =>
      pick([
        'hello ',
        'é',
        '日本',
        '🙂',
        '\\ud83d\\ude42',
        '\\ud800',
        '\\u0000',
        '\\/',
        '\\n',
        '\\"',
        'sha256:',
        '﻿',
        '\u2028',
        'x'.repeat(700),
      ]),
    )
    return `"${parts.join('')}"`
  }
  const number = () => pick(['0', '-0', '1.0', '1e400', '-1E-7', '123456789012345678901234567890', '0.1000', '3'])
  const value = (depth: number): string => {
    const kind = random()
    if (depth > 40 || kind < 0.35) return text()
    if (kind < 0.5) return number()
    if (kind < 0.6) return pick(['true', 'false', 'null'])
    const items = Array.from({ length: Math.floor(random() * 4) }, () => value(depth + 1))
    if (kind < 0.8) return `[${blank()}${items.join(`${blank()},${blank()}`)}${blank()}]`
    return `{${items.map((item) => `${blank()}${pick(['"role"', '"type"', '"content"', '"text"', '"id"', '"a b"', text()])}:${blank()}${item}`).join(',')}${blank()}}`
  }
  const fields = ['"model":"m"', '"stream":true', '"max_tokens":1.0e2']
  const lists = ['messages', 'input', 'tools', 'system', 'messages', 'unknown', 'instructions', 'cache_control']
  const more = Array.from({ length: Math.floor(random() * 6) }, () => `"${pick(lists)}"${blank()}:${value(0)}`)
  const all = [...fields, ...more].filter(() => random() < 0.8)
  return `${blank()}{${all.join(`${blank()},${blank()}`)}}${blank()}`
}

function hash(bytes: Uint8Array | string): string {
  return createHash('sha256').update(bytes).digest('hex')
}

/** Numbers from 0 to 1 that are the same for the same seed (mulberry32). */
function generator(seed: number): () => number {
  let state = seed
  return () => {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296
  }
}
