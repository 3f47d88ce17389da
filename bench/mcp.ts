/**
 * Measures how soon `foreword mcp` answers: from the start of the process to the answers to `initialize`, `tools/list`
 * and the first tool call, compared with a server of ten lines in the same run.
 *
 *   npm run bench:mcp [-- RUNS] [--record]
 */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { keepFigures } from './history.ts'
import { givenNumber, median } from './measures.ts'

const runs = givenNumber(15)
const here = import.meta.dirname
const home = mkdtempSync(join(tmpdir(), 'foreword-bench-'))
process.on('exit', () => rmSync(home, { recursive: true, force: true }))
mkdirSync(join(home, 'subjects/one'), { recursive: true })
writeFileSync(join(home, 'subjects/one/brief.md'), 'Tastes: calm\n\nA harbour before dawn.\n')

const clientInfo = { name: 'bench', version: '1' }
const requests = [
  { id: 1, method: 'initialize', params: { protocolVersion: '2025-11-25', capabilities: {}, clientInfo } },
  { id: 2, method: 'tools/list', params: {} },
  { id: 3, method: 'tools/call', params: { name: 'read_context', arguments: { image_id: 'one' } } },
]
const servers: readonly (readonly [string, readonly string[]])[] = [
  ['ten lines', [join(here, 'mcp/ten-lines.mjs')]],
  ['foreword mcp', [join(here, '../bin/foreword.js'), 'mcp', '--home', home]],
]

console.log(`Medians of ${runs} runs, in ms from the start of the process.\n`)
console.log('server         initialize  tools/list  first call')
// The first start writes the compile cache and creates the home.
for (const [, args] of servers) await timesOf(args)
const times = new Map<string, (readonly number[])[]>()
for (let run = 0; run < runs; run++) {
  for (const [name, args] of servers) times.set(name, [...(times.get(name) ?? []), await timesOf(args)])
}
for (const [name, each] of times) {
  const medians = requests.map((_, at) => median(each.map((run) => run[at]!)))
  console.log(`${name.padEnd(13)}${medians.map((ms) => ms.toFixed(0).padStart(12)).join('')}`)
}
const initialize = (name: string) => median(times.get(name)!.map((run) => run[0]!))
keepFigures('bench:mcp', { 'initialize, ms': { value: initialize('foreword mcp'), beside: initialize('ten lines') } })

/** The times to each answer, in ms. Requests follow one another, as clients send them. */
async function timesOf(args: readonly string[]): Promise<readonly number[]> {
  const began = performance.now()
  const child = spawn(process.execPath, args, { stdio: ['pipe', 'pipe', 'inherit'] })
  const ended = once(child, 'close')
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]()
  const found: number[] = []
  for (const request of requests) {
    child.stdin.write(`${JSON.stringify({ jsonrpc: '2.0', ...request })}\n`)
    const { value = '' } = (await lines.next()) as { value?: string }
    const answer = JSON.parse(value) as { id?: number; error?: object }
    if (answer.id !== request.id || answer.error !== undefined) throw new Error(`${args.join(' ')} answered ${value}`)
    found.push(performance.now() - began)
    if (request.id === 1) {
      child.stdin.write(`${JSON.stringify({ jsonrpc: '2.0', method: 'notifications/initialized' })}\n`)
    }
  }
  child.stdin.end()
  await ended
  return found
}
