/**
 * Measures what passing calls of other programs on costs beside a bare proxy, against one scripted vendor in one run: processor time
 * of a call with everything that is deferred until after its answer, and the time to the first byte of an answer. A body is a
 * conversation that grows from call to call, as those of programs do.
 *
 *   npm run bench:through [-- CALLS [BYTES]] [--record]
 */
import { mkdtempSync, rmSync } from 'node:fs'
import { Agent, request } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { startChild } from './gateway/child.ts'
import { type Figure, keepFigures } from './history.ts'
import { median } from './measures.ts'

const [calls = 60, only] = process.argv
  .slice(2)
  .filter((word) => !word.startsWith('--'))
  .map(Number)
/** Calls of a row that are not measured: the first of a conversation has nothing before it, and code is compiled. */
const WARM_UP = 8
const here = join(import.meta.dirname, 'through')
const home = mkdtempSync(join(tmpdir(), 'foreword-bench-'))
process.on('exit', () => rmSync(home, { recursive: true, force: true }))
const source = '--conditions=foreword-source'
const vendor = await startChild([join(here, 'vendor.ts')])
const environment = { BENCH_VENDOR: vendor.line, BENCH_HOME: home }
const proxy = await startChild([join(here, 'bare-proxy.ts')], environment)
const nodeArguments = process.env['BENCH_NODE_ARGS']?.split(' ') ?? []
const gateway = await startChild([source, ...nodeArguments, join(here, 'gateway.ts')], environment)
const [address = '', token = ''] = gateway.line.split(' ')

const agent = new Agent({ keepAlive: true, maxSockets: 64 })
const ways = {
  direct: { url: vendor.line, headers: {} },
  proxy: { url: proxy.line, headers: {} },
  foreword: { url: `${address}/through/anthropic`, headers: { 'x-foreword-token': token } },
}
type Way = keyof typeof ways

console.log('                   processor, ms a call                first byte, median ms')
const figures: Record<string, Figure> = {}
console.log('bodies    at once    proxy  foreword   ratio   direct    proxy  foreword   added')
for (const [bytes, atOnce] of [
  [2_000, 1],
  [50_000, 1],
  [1_000_000, 1],
  [5_000_000, 1],
  [50_000, 32],
  [5_000_000, 8],
] as const) {
  if (only !== undefined && bytes !== only) continue
  const rounds = Math.ceil(calls / atOnce)
  const times: Record<Way, number[]> = { direct: [], proxy: [], foreword: [] }
  const used = { proxy: 0, foreword: 0 }
  let waiting = 0
  // One after another in each round, so that what else this machine does harms all of them alike.
  let round = -WARM_UP
  for (const body of conversationBodies(bytes, rounds + WARM_UP)) {
    for (const way of ['direct', 'proxy', 'foreword'] as const) {
      const before = await processorTime(way)
      const measured = await Promise.all(
        Array.from({ length: atOnce }, (_, at) => firstByte(way, body, `${bytes}-${atOnce}-${at}`)),
      )
      if (way === 'foreword') await idle()
      if (round < 0) continue
      times[way].push(...measured)
      if (way !== 'direct') used[way] += (await processorTime(way)) - before
    }
    // What asking whether there is something left to do costs is no part of a call.
    const before = await processorTime('foreword')
    await idle()
    if (round >= 0) waiting += (await processorTime('foreword')) - before
    round += 1
  }
  const [direct, bare, foreword] = (['direct', 'proxy', 'foreword'] as const).map((way) => median(times[way]))
  const [least, all] = [used.proxy, used.foreword - waiting].map((sum) => sum / (rounds * atOnce))
  if (atOnce === 1) {
    figures[`added to the first byte, ${size(bytes)}, ms`] = { value: foreword! - direct!, beside: bare! - direct! }
    figures[`processor time of a call, ${size(bytes)}, ms`] = { value: all!, beside: least! }
  }
  console.log(
    [
      size(bytes).padEnd(9),
      String(atOnce).padStart(7),
      ...[least!, all!].map((time) => time.toFixed(2).padStart(8)),
      (all! / least!).toFixed(1).padStart(8),
      ...[direct!, bare!, foreword!, foreword! - bare!].map((time) => time.toFixed(2).padStart(8)),
    ].join(' '),
  )
}
keepFigures('bench:through', figures)
agent.destroy()
await Promise.all([gateway.stop(), proxy.stop(), vendor.stop()])

/** Of the process that a call goes through, so far, ms. */
async function processorTime(way: Way): Promise<number> {
  return way === 'direct' ? 0 : { proxy, foreword: gateway }[way].processorTime()
}

/** Resolves when the gateway has nothing left to do. */
async function idle(): Promise<void> {
  const answer = await fetch(`${address}/api/status?wait=idle`, { headers: { authorization: `Bearer ${token}` } })
  await answer.arrayBuffer()
}

/** Sends a call and resolves with the time to the first byte of its answer once that is over, ms. */
function firstByte(way: Way, body: Buffer, session: string): Promise<number> {
  const { url, headers } = ways[way]
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
          'x-claude-code-session-id': session,
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

/** The bodies of a session, about this size each: with each call go an answer and words after it, and a cache mark moves on. */
function* conversationBodies(bytes: number, count: number): Generator<Buffer> {
  const grown = Math.min(2_000, bytes / 100)
  const message = (at: number, length: number) => {
    const text = `${at} ${'Words of a conversation that goes on for a while. '.repeat(80)}`.slice(0, length)
    return { role: at % 2 === 0 ? 'user' : 'assistant', content: [{ type: 'text', text }] }
  }
  const messages = Array.from({ length: 2 * Math.ceil(bytes / 8_000) + 1 }, (_, at) => message(at, 3_900))
  for (let call = 0; call < count; call += 1) {
    messages.push(message(messages.length, grown), message(messages.length + 1, grown))
    const [last] = messages.at(-1)!.content
    const marked = { ...messages.at(-1)!, content: [{ ...last, cache_control: { type: 'ephemeral' } }] }
    const all = [...messages.slice(0, -1), marked]
    yield Buffer.from(JSON.stringify({ model: 'claude-opus-5-5', stream: true, max_tokens: 128_000, messages: all }))
  }
}

function size(bytes: number): string {
  return bytes >= 1_000_000 ? `${bytes / 1_000_000} MB` : `${bytes / 1_000} kB`
}
