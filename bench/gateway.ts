/**
 * Measures what the gateway adds to a direct call of the provider: time to first token and turns per second with 1, 8 and 32
 * callers, compared with a bare streaming proxy, in one run with one scripted provider.
 *
 *   npm run bench:gateway [-- SECONDS]
 */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { Agent, request } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { startChild } from './gateway/child.ts'

const seconds = Number(process.argv[2] ?? 4)
const here = import.meta.dirname
const home = mkdtempSync(join(tmpdir(), 'foreword-bench-'))
const provider = await startChild([join(here, 'gateway/provider.ts')])
const proxy = await startChild([join(here, 'gateway/proxy.ts'), provider.line])
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
const gatewayPort = (JSON.parse(gateway.line) as { port: number }).port
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
}

const targets: readonly Target[] = [
  { name: 'provider', port: Number(provider.line), headers: {} },
  { name: 'bare proxy', port: Number(proxy.line), headers: {} },
  {
    name: 'foreword',
    port: gatewayPort,
    headers: { authorization: 'Bearer bench', 'x-foreword-session': 'new' },
  },
]

console.log(
  `The gateway was ready ${Math.round(gateway.startMs)} ms after its start, with ${Math.round(idle)} MB resident.\n`,
)
console.log('target       callers   first token p50      p99   turns/s')
for (const callers of [1, 8, 32]) {
  for (const target of targets) {
    await load(target, callers, 1)
    const { firsts, perSecond } = await load(target, callers, seconds)
    const at = (share: number) => `${quantile(firsts, share).toFixed(2)} ms`
    console.log(
      `${target.name.padEnd(12)} ${String(callers).padStart(7)} ${at(0.5).padStart(17)} ${at(0.99).padStart(8)} ${perSecond.toFixed(0).padStart(9)}`,
    )
  }
}
console.log(`\nAfter the load the gateway has ${Math.round(gateway.resident())} MB resident.`)

await gateway.stop()
await proxy.stop()
await provider.stop()
rmSync(home, { recursive: true, force: true })

async function load({ port, headers }: Target, callers: number, duration: number) {
  const agent = new Agent({ keepAlive: true, maxSockets: callers })
  const until = performance.now() + duration * 1000
  const firsts: number[] = []
  const began = performance.now()
  await Promise.all(
    Array.from({ length: callers }, async () => {
      while (performance.now() < until) firsts.push(await ask(port, agent, headers))
    }),
  )
  agent.destroy()
  return { firsts, perSecond: firsts.length / ((performance.now() - began) / 1000) }
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

function quantile(numbers: readonly number[], share: number): number {
  const sorted = numbers.toSorted((a, b) => a - b)
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? 0
}
