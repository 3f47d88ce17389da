/**
 * Measures the memory of the gateway while a provider does not stop: words, reasoning, calls, one event of 100 MB, and
 * words with clients that never read.
 *
 *   npm run bench:endless
 */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { connect, type Socket } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { type ScriptedAnswer, scriptedProvider } from '../src/testing.ts'
import { startChild } from './gateway/child.ts'

const cases: readonly { readonly name: string; readonly answer: ScriptedAnswer; readonly readers?: number }[] = [
  { name: 'one short answer', answer: { text: 'Hello.' } },
  { name: 'words', answer: { text: 'again ', forever: 'again' } },
  { name: 'words of 60 kB', answer: { text: ['again '.repeat(10_000)], forever: 'again' } },
  { name: 'words, 40 silent readers', answer: { text: 'again ', forever: 'again' }, readers: 40 },
  { name: 'reasoning', answer: { reasoning: 'hmm ', forever: 'hmm' } },
  {
    name: 'input of a call',
    answer: { toolCalls: [{ name: 'x', input: { q: 'again and again' } }], forever: 'again' },
  },
  { name: 'one event of 100 MB', answer: { text: ['Well, ', 'x'.repeat(100_000_000)] } },
]

const home = mkdtempSync(join(tmpdir(), 'foreword-bench-'))
let answer: ScriptedAnswer = {}
const provider = await scriptedProvider({ answer: () => answer })
writeFileSync(
  join(home, 'config.json'),
  JSON.stringify({
    gateway: { port: 0, token: 'bench' },
    model: 'bench/m',
    providers: { bench: { kind: 'openai-compatible', baseURL: `${provider.url}/v1` } },
    models: { 'bench/m': { window: 131_072, maxOutput: 32_768 } },
    context: { reserve: 32_768 },
  }),
)
const command = join(import.meta.dirname, '../bin/foreword.js')

console.log('endless output                before      peak     after      time   outcome')
for (const { name, answer: script, readers = 0 } of cases) {
  answer = script
  const gateway = await startChild(['--max-semi-space-size=4', command, 'start', '--json', '--home', home])
  const { port } = JSON.parse(gateway.line) as { port: number }
  const before = gateway.resident()
  let most = before
  const watching = setInterval(() => (most = Math.max(most, gateway.resident())), 20)
  const began = performance.now()
  const { session, turn } = await ask<{ session: string; turn: string }>(port, '/api/messages', { text: 'hello' })
  const sockets = Array.from({ length: readers }, () => silentReader(port, `/api/sessions/${session}/events`))
  const ended = await end(port, `/api/sessions/${session}/turns/${turn}?wait=60000`)
  const took = performance.now() - began
  await pause(1_000)
  clearInterval(watching)
  const figures = [before, most, gateway.resident()].map((megabytes) => `${megabytes.toFixed(0)} MB`.padStart(10))
  console.log(`${name.padEnd(26)}${figures.join('')}${`${(took / 1000).toFixed(1)} s`.padStart(10)}   ${ended}`)
  for (const socket of sockets) socket.destroy()
  await gateway.stop()
}
await provider.close()
rmSync(home, { recursive: true, force: true })

/** Requests events and never reads them. */
function silentReader(port: number, path: string): Socket {
  const socket = connect(port, '127.0.0.1')
  socket.pause()
  socket.on('error', () => {})
  socket.write(`GET ${path} HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer bench\r\n\r\n`)
  return socket
}

async function end(port: number, path: string): Promise<string> {
  for (;;) {
    const { outcome } = await ask<{ outcome?: { type: string; limit?: string } }>(port, path)
    if (outcome) return outcome.limit === undefined ? outcome.type : `${outcome.type} (${outcome.limit})`
  }
}

async function ask<Answer>(port: number, path: string, body?: unknown): Promise<Answer> {
  const response = await fetch(`http://127.0.0.1:${port}${path}`, {
    headers: { authorization: 'Bearer bench', 'content-type': 'application/json' },
    ...(body === undefined ? {} : { method: 'POST', body: JSON.stringify(body) }),
  })
  return (await response.json()) as Answer
}
