/**
 * Measures what a turn through the gateway costs beside a direct call of the provider and a bare streaming proxy, in one run with
 * one scripted provider: time to the first token, turns per second and processor time with all that is deferred until after the
 * answer, with 1, 8, 32 and 1,000 callers. The floor is the proxy that makes two commits a call. Then the processor time of one event
 * for each of 100 readers of a session. Below stand the counts of a small turn, which need no clock (`npm run counts`).
 *
 *   npm run bench:turn [-- SECONDS] [--record]
 */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { Agent, request } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { gatewayCounts } from '../scripts/counts/gateway-counts.ts'
import { type Child, startChild } from './gateway/child.ts'
import { type Figure, keepFigures } from './history.ts'
import { givenNumber, median, quantile } from './measures.ts'

const seconds = givenNumber(4)
const here = import.meta.dirname
const home = mkdtempSync(join(tmpdir(), 'foreword-bench-'))
const provider = await startChild([join(here, 'gateway/provider.ts')])
const proxy = await startChild([join(here, 'gateway/proxy.ts'), provider.line])
const floor = await startChild([join(here, 'gateway/proxy.ts'), provider.line, join(home, 'floor.sqlite')])
writeFileSync(
  join(home, 'config.json'),
  JSON.stringify({
    gateway: { port: 0, token: 'bench' },
    model: 'bench/m',
    providers: { bench: { kind: 'openai-compatible', baseURL: `http://127.0.0.1:${provider.line}/v1` } },
    models: { 'bench/m': { window: 32_768 } },
  }),
)
const command = join(here, '../bin/foreword.js')
/** The arguments of `npm start`, unless BENCH_NODE_ARGS has others. */
const nodeArguments = (process.env['BENCH_NODE_ARGS'] ?? '--max-semi-space-size=4').split(' ')
const begin = () => startChild([...nodeArguments, command, 'start', '--json', '--home', home])
// The second start is the usual case, with the compile cache.
await (await begin()).stop()
const gateway = await begin()
const { port: gatewayPort, address } = JSON.parse(gateway.line) as { readonly port: number; readonly address: string }
const idle = gateway.resident()

const body = JSON.stringify({
  model: 'foreword',
  stream: true,
  messages: [{ role: 'user', content: 'Say twelve words.' }],
})

interface Target {
  readonly name: string
  readonly port: number
  readonly headers: Record<string, string>
  readonly child: Child
}

const targets: readonly Target[] = [
  { name: 'provider', port: Number(provider.line), headers: {}, child: provider },
  { name: 'bare proxy', port: Number(proxy.line), headers: {}, child: proxy },
  { name: 'two commits', port: Number(floor.line), headers: {}, child: floor },
  {
    name: 'foreword',
    port: gatewayPort,
    headers: { authorization: 'Bearer bench', 'x-foreword-session': 'new' },
    child: gateway,
  },
]

/** A row of a target. */
interface Load {
  /** Times to the first token, ms. */
  readonly firsts: readonly number[]
  readonly perSecond: number
  /** Of a turn, ms, with what was deferred until after it. */
  readonly processorMs: number
  /** The slowest answer to `/health` meanwhile, asked every 10 ms, ms. */
  readonly longestHealth: number
}

console.log(
  `The gateway was ready ${Math.round(gateway.startMs)} ms after its start, with ${Math.round(idle)} MB resident.\n`,
)
console.log('target       callers   first token p50      p99   turns/s  processor, ms a turn   slowest /health')
const figures: Record<string, Figure> = {}
for (const callers of [1, 8, 32, 1_000]) {
  const rows: Record<string, Load> = {}
  for (const target of targets) {
    await load(target, Math.min(callers, 32), 1)
    // A thousand come at once, and once.
    rows[target.name] = await load(target, callers, callers === 1_000 ? 0 : seconds)
    print(target.name, callers, rows[target.name]!)
  }
  keep(callers, rows)
}
const perReader = await readersCost(100, 40)
console.log(`\none event to 100 readers: ${perReader.toFixed(1)} µs of processor time for each`)
figures['one event to 100 readers, each, µs of processor time'] = { value: perReader }
console.log(`\nAfter the load the gateway has ${Math.round(gateway.resident())} MB resident.`)
await Promise.all([gateway, proxy, floor, provider].map((child) => child.stop()))
rmSync(home, { recursive: true, force: true })

const { hello, turn } = await gatewayCounts(join(here, '..'))
const kib = (bytes: number) => (bytes / 1024).toFixed(1)
console.log(`
a "Hello": ${hello.functions} functions of ${hello.files} files
a small turn: ${turn.statements.toFixed(1)} SQL statements, ${turn.commits.toFixed(1)} transactions, ${turn.writes.toFixed(1)} writes, ${kib(turn.bytesWritten)} KiB written, ${kib(turn.bytesKept)} KiB kept, ${turn.looks.toFixed(1)} looks at the disk`)
keepFigures('bench:turn', figures)

function print(name: string, callers: number, { firsts, perSecond, processorMs, longestHealth }: Load): void {
  const cells = [
    name.padEnd(12),
    String(callers).padStart(7),
    ...[0.5, 0.99].map((share) => `${quantile(firsts, share).toFixed(2)} ms`.padStart(share === 0.5 ? 17 : 10)),
    perSecond.toFixed(0).padStart(7),
    processorMs.toFixed(2).padStart(21),
    `${longestHealth.toFixed(0)} ms`.padStart(17),
  ]
  console.log(cells.join(' '))
}

/** What README and the history tell of the loads. */
function keep(callers: number, rows: Readonly<Record<string, Load>>): void {
  const [own, least, direct] = ['foreword', 'two commits', 'provider'].map((name) => rows[name]!) as [Load, Load, Load]
  if (callers === 1_000) {
    const last = ({ firsts }: Load) => quantile(firsts, 0.99)
    figures['first token of 1,000 at once, 99 of 100, ms'] = { value: last(own), beside: last(least) }
    figures['/health during 1,000 at once, slowest, ms'] = { value: own.longestHealth, beside: least.longestHealth }
    return
  }
  const added = ({ firsts }: Load) => Math.max(0, median(firsts) - median(direct.firsts))
  figures[`added to the first token, ${callers} at once, ms`] = { value: added(own), beside: added(least) }
  figures[`turns a second, ${callers} at once`] = { value: own.perSecond, beside: least.perSecond }
  figures[`processor time of a turn, ${callers} at once, ms`] = { value: own.processorMs, beside: least.processorMs }
}

/** Each caller runs turns for so many seconds, and at least one. */
async function load({ port, headers, child }: Target, callers: number, duration: number): Promise<Load> {
  const agent = new Agent({ keepAlive: true, maxSockets: callers })
  const processorBefore = await child.processorTime()
  const began = performance.now()
  const firsts: number[] = []
  const watch = watchHealth(port)
  await Promise.all(
    Array.from({ length: callers }, async () => {
      do firsts.push(await ask(port, agent, headers))
      while (performance.now() < began + duration * 1000)
    }),
  )
  const perSecond = firsts.length / ((performance.now() - began) / 1000)
  const longestHealth = await watch()
  agent.destroy()
  if (child === gateway) await (await fetch(`${address}/api/status?wait=idle`, { headers })).arrayBuffer()
  return {
    firsts,
    perSecond,
    processorMs: ((await child.processorTime()) - processorBefore) / firsts.length,
    longestHealth,
  }
}

/** Processor time that one event of a session takes for each of its readers, µs: of turns with so many readers, less that of turns with none. */
async function readersCost(readers: number, turns: number): Promise<number> {
  const alone = await followedTurns(0, turns)
  const followed = await followedTurns(readers, turns)
  return ((followed.processorMs - alone.processorMs) * 1000) / (followed.events * readers)
}

/** Runs turns of a new session, one after another, while so many readers follow it. */
async function followedTurns(readers: number, turns: number) {
  const headers = { authorization: 'Bearer bench', 'content-type': 'application/json' }
  const made = await fetch(`${address}/api/sessions`, { method: 'POST', headers, body: '{}' })
  const { id: session } = (await made.json()) as { readonly id: string }
  const over = new AbortController()
  let events = 0
  const streams = await Promise.all(
    Array.from({ length: readers }, () =>
      fetch(`${address}/api/sessions/${session}/events?after=live`, { headers, signal: over.signal }),
    ),
  )
  const following = streams.map(async ({ body: stream }, reader) => {
    for await (const bytes of stream!)
      if (reader === 0) events += Buffer.from(bytes).toString('latin1').split('\nevent: ').length - 1
  })
  const before = await gateway.processorTime()
  const agent = new Agent({ keepAlive: true })
  for (let run = 0; run < turns; run += 1) await ask(gatewayPort, agent, { ...headers, 'x-foreword-session': session })
  agent.destroy()
  await (await fetch(`${address}/api/status?wait=idle`, { headers })).arrayBuffer()
  const processorMs = (await gateway.processorTime()) - before
  over.abort()
  await Promise.allSettled(following)
  return { processorMs, events }
}

/** Asks for `/health` every 10 ms until the function that it returns is called, which returns the slowest answer, ms. */
function watchHealth(port: number): () => Promise<number> {
  const over = new AbortController()
  const asked = (async () => {
    let slowest = 0
    while (!over.signal.aborted) {
      const began = performance.now()
      await (await fetch(`http://127.0.0.1:${port}/health`)).arrayBuffer()
      slowest = Math.max(slowest, performance.now() - began)
      await new Promise((resolve) => setTimeout(resolve, 10))
    }
    return slowest
  })()
  return () => {
    over.abort()
    return asked
  }
}

/** Runs one turn and returns the time to the first word, in ms. */
function ask(port: number, agent: Agent, headers: Record<string, string>): Promise<number> {
  const began = performance.now()
  return new Promise((resolve, reject) => {
    const outgoing = request(
      {
        host: '127.0.0.1',
        port,
        agent,
        method: 'POST',
        path: '/v1/chat/completions',
        headers: { 'content-type': 'application/json', 'content-length': Buffer.byteLength(body), ...headers },
      },
      (answer) => {
        let first: number | undefined
        let tail = ''
        answer.on('data', (data: Buffer) => {
          const text = data.toString('latin1')
          if (first === undefined && text.includes('word0')) first = performance.now() - began
          tail = (tail + text).slice(-64)
        })
        answer.on('end', () => {
          if (answer.statusCode === 200 && first !== undefined && tail.includes('[DONE]')) resolve(first)
          else reject(new Error(`The provider answered ${answer.statusCode}: ${tail}`))
        })
        answer.on('error', reject)
      },
    )
    outgoing.on('error', reject)
    outgoing.end(body)
  })
}
