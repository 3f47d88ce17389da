/**
 * Measures what passing calls of other programs on adds: the time to the first byte of an answer beside a bare proxy and a direct
 * call, of bodies of 50 kB to 5 MB and of 32 streams at once, all against one scripted vendor in one run.
 *
 *   npm run bench:through [-- CALLS]
 */
import { mkdtempSync, rmSync } from 'node:fs'
import { Agent, request } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { startChild } from './gateway/child.ts'

const calls = Number(process.argv[2] ?? 120)
const here = join(import.meta.dirname, 'through')
const home = mkdtempSync(join(tmpdir(), 'foreword-bench-'))
process.on('exit', () => rmSync(home, { recursive: true, force: true }))
const source = '--conditions=foreword-source'
const vendor = await startChild([join(here, 'vendor.ts')])
const environment = { BENCH_VENDOR: vendor.line, BENCH_HOME: home }
const proxy = await startChild([join(here, 'bare-proxy.ts')], environment)
const gateway = await startChild([source, join(here, 'gateway.ts')], environment)
const [address = '', token = ''] = gateway.line.split(' ')

const agent = new Agent({ keepAlive: true, maxSockets: 64 })
const ways = {
  direct: { url: vendor.line, headers: {} },
  proxy: { url: proxy.line, headers: {} },
  foreword: { url: `${address}/through/anthropic`, headers: { 'x-foreword-token': token } },
}
type Way = keyof typeof ways

console.log('bodies    at once   direct    proxy  foreword   added   added per MB   (median ms to the first byte)')
for (const [bytes, atOnce] of [
  [2_000, 1],
  [50_000, 1],
  [1_000_000, 1],
  [5_000_000, 1],
  [50_000, 32],
  [5_000_000, 8],
] as const) {
  const times: Record<Way, number[]> = { direct: [], proxy: [], foreword: [] }
  // One after another in each round, so that what else this machine does harms all of them alike.
  for (let round = 0; round < Math.ceil(calls / atOnce) + 1; round += 1) {
    for (const way of ['direct', 'proxy', 'foreword'] as const) {
      const measured = await Promise.all(
        Array.from({ length: atOnce }, (_, at) => firstByte(way, bytes, round * atOnce + at)),
      )
      if (round > 0) times[way].push(...measured)
      // What is recorded a moment after a call has left is not measured with the next one.
      if (way === 'foreword') await sleep(atOnce > 1 || bytes > 100_000 ? 300 : 150)
    }
  }
  const [direct, bare, foreword] = (['direct', 'proxy', 'foreword'] as const).map((way) => median(times[way]))
  const added = foreword! - bare!
  console.log(
    [
      size(bytes).padEnd(9),
      String(atOnce).padStart(7),
      ...[direct!, bare!, foreword!].map((time) => time.toFixed(2).padStart(8)),
      added.toFixed(2).padStart(8),
      bytes < 1_000_000 ? '' : (added / (bytes / 1_000_000)).toFixed(2).padStart(13),
    ].join(' '),
  )
}
agent.destroy()
await Promise.all([gateway.stop(), proxy.stop(), vendor.stop()])

/** Sends a call and resolves with the time to the first byte of its answer once that is over, ms. */
function firstByte(way: Way, bytes: number, number: number): Promise<number> {
  const { url, headers } = ways[way]
  const body = bodyOf(bytes, number)
  const target = new URL(`${url}/v1/messages?beta=true`)
  const began = performance.now()
  return new Promise((resolve, reject) => {
    const sent = request(
      {
        host: target.hostname,
        port: target.port,
        path: `${target.pathname}${target.search}`,
        method: 'POST',
        agent,
        headers: {
          'content-type': 'application/json',
          'content-length': body.byteLength,
          'user-agent': 'claude-cli/2.1.330 (external, cli)',
          'x-claude-code-session-id': `bench-${bytes}`,
          'x-api-key': 'own',
          ...headers,
        },
      },
      (answer) => {
        let first: number | undefined
        answer.on('data', () => void (first ??= performance.now() - began))
        answer.on('end', () => resolve(first ?? Number.NaN))
        answer.on('error', reject)
      },
    )
    sent.on('error', reject)
    sent.end(body)
  })
}

/** A conversation of this size whose last message is another one each time. */
function bodyOf(bytes: number, number: number): Buffer {
  const messages = Array.from({ length: Math.ceil(bytes / 4_000) }, (_, at) => ({
    role: at % 2 === 0 ? 'user' : 'assistant',
    content: `${at} ${'Words of a conversation that goes on for a while. '.repeat(78)}`,
  }))
  const all = [...messages, { role: 'user', content: `Call ${number}.` }]
  return Buffer.from(JSON.stringify({ model: 'claude-opus-5-5', stream: true, max_tokens: 128_000, messages: all }))
}

function median(values: readonly number[]): number {
  return values.toSorted((one, other) => one - other)[Math.floor(values.length / 2)] ?? Number.NaN
}

function size(bytes: number): string {
  return bytes >= 1_000_000 ? `${bytes / 1_000_000} MB` : `${bytes / 1_000} kB`
}
