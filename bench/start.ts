/**
 * Measures a start of the gateway, from the checkout and from the package, beside the least server: time and processor time until
 * it is ready, memory a moment later. And the processor time of `--help` and of `send` beside a gateway, beside a bare Node. The
 * smallest of all runs counts, since other programs only add. Below stand the files that are loaded, which need no clock.
 *
 *   npm run bench:start [-- RUNS] [--json] [--record]
 *   npm run bench:start -- --sessions 10000     memory a minute after so many sessions of one turn, and nothing else
 */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { setTimeout as sleep } from 'node:timers/promises'
import { packageCounts, withPackage } from '../scripts/counts/package-counts.ts'
import { startChild, tellsProcessorTime } from './gateway/child.ts'
import { keepFigures } from './history.ts'
import { givenNumber } from './measures.ts'

const words = process.argv.slice(2)
const sessions = Number(words[words.indexOf('--sessions') + 1])
const runs = givenNumber(9)
const root = join(import.meta.dirname, '..')
/** How long after it is ready the memory of an idle process is read, ms. */
const IDLE_MS = 2_000

const folder = mkdtempSync(join(tmpdir(), 'foreword-bench-'))
const environment = {
  FOREWORD_HOME: join(folder, 'home'),
  FOREWORD_MODEL: 'rehearsal',
  FOREWORD_GATEWAY_PORT: '0',
  NODE_COMPILE_CACHE: join(folder, 'compiled'),
}

interface Start {
  readonly readyMs: number
  readonly readyCpuMs: number
  readonly idleMb: number
}

try {
  await withPackage(root, async (published) => {
    const command = join(published, 'bin', 'foreword.js')
    if (words.includes('--sessions')) return printMemoryAfter(sessions, [command, 'start', '--json'])
    const source = ['--max-semi-space-size=4', '--conditions=foreword-source', join(root, 'bin', 'foreword.js')]
    const floor = join(import.meta.dirname, 'gateway', 'least-server.mjs')
    const starts = {
      floor: await bestStart([floor, join(folder, 'floor.sqlite')]),
      package: await bestStart([command, 'start', '--json']),
      checkout: await bestStart([...source, 'start', '--json']),
    }
    const gateway = await startChild([command, 'start', '--json'], environment)
    const cpuMs = {
      node: await bestEnd(['--eval', '0']),
      help: await bestEnd([command, '--help']),
      send: await bestEnd([command, 'send', '/say Hello']),
    }
    await gateway.stop()
    const { start, help, send } = await packageCounts(root)
    if (words.includes('--json')) console.log(JSON.stringify({ runs, starts, cpuMs, files: { start, help, send } }))
    else print(starts, cpuMs, { start, help, send })
    keepFigures('bench:start', {
      'ready, ms': { value: starts.package.readyMs, beside: starts.floor.readyMs },
      'ready, ms of processor time': { value: starts.package.readyCpuMs, beside: starts.floor.readyCpuMs },
      'idle, MB': { value: starts.package.idleMb, beside: starts.floor.idleMb },
      '--help, ms of processor time': { value: cpuMs.help, beside: cpuMs.node },
      'send beside a gateway, ms of processor time': { value: cpuMs.send, beside: cpuMs.node },
    })
  })
} finally {
  rmSync(folder, { recursive: true, force: true })
}

/** Each session has one turn of the rehearsal; eight are sent at once. */
async function printMemoryAfter(count: number, args: readonly string[]): Promise<void> {
  const gateway = await startChild(args, { ...environment, FOREWORD_GATEWAY_TOKEN: 'bench' })
  await sleep(IDLE_MS)
  const idleMb = gateway.resident()
  const { address } = JSON.parse(gateway.line) as { readonly address: string }
  const headers = { authorization: 'Bearer bench', 'content-type': 'application/json' }
  const began = await gateway.processorTime()
  let left = count
  const callers = Array.from({ length: 8 }, async () => {
    while (left-- > 0) {
      const body = JSON.stringify({ text: `How high is the water at harbour ${left}?` })
      const sent = await fetch(`${address}/api/messages`, { method: 'POST', headers, body })
      const { session, turn } = (await sent.json()) as { readonly session: string; readonly turn: string }
      const ended = await fetch(`${address}/api/sessions/${session}/turns/${turn}?wait=60000`, { headers })
      const { outcome } = (await ended.json()) as { readonly outcome?: { readonly type: string } }
      if (outcome?.type !== 'completed') throw new Error(`a turn ended with ${JSON.stringify(outcome)}`)
    }
  })
  await Promise.all(callers)
  const cpuMs = ((await gateway.processorTime()) - began) / count
  const afterMb = gateway.resident()
  await sleep(60_000)
  const laterMb = gateway.resident()
  await gateway.stop()
  const memory = `${idleMb.toFixed(0)} MB before, ${afterMb.toFixed(0)} MB after, ${laterMb.toFixed(0)} MB a minute later`
  console.log(`${count} sessions: ${memory}; ${cpuMs.toFixed(1)} ms of processor time each.`)
}

/** The first run, which compiles, does not count. */
async function bestStart(args: readonly string[]): Promise<Start> {
  const found: Start[] = []
  for (let run = 0; run <= runs; run += 1) {
    const child = await startChild(args, environment)
    const readyCpuMs = await child.processorTime()
    if (run === runs) await sleep(IDLE_MS)
    found.push({ readyMs: child.startMs, readyCpuMs, idleMb: child.resident() })
    await child.stop()
  }
  const least = (figure: (start: Start) => number) => Math.min(...found.slice(1).map(figure))
  return {
    readyMs: least((start) => start.readyMs),
    readyCpuMs: least((start) => start.readyCpuMs),
    idleMb: found.at(-1)!.idleMb,
  }
}

/** Processor time of a process that ends by itself, ms. */
async function bestEnd(args: readonly string[]): Promise<number> {
  const found: number[] = []
  for (let run = 0; run <= runs; run += 1) {
    const child = spawn(process.execPath, [...tellsProcessorTime, ...args], {
      stdio: ['ignore', 'ignore', 'inherit', 'pipe'],
      env: { ...process.env, ...environment, TELL_END: '3' },
    })
    const [told] = await Promise.all([text(child.stdio[3] as NodeJS.ReadableStream), once(child, 'exit')])
    if (child.exitCode !== 0) throw new Error(`${args.join(' ')} ended with ${child.exitCode}`)
    found.push(Number(told))
  }
  return Math.min(...found.slice(1))
}

function print(
  starts: Readonly<Record<string, Start>>,
  cpuMs: Readonly<Record<string, number>>,
  files: Readonly<Record<string, number>>,
): void {
  console.log(`The smallest of ${runs} runs.\n\nstart      ready ms   CPU ms   idle MB`)
  for (const [name, { readyMs, readyCpuMs, idleMb }] of Object.entries(starts))
    console.log(
      `${name.padEnd(9)} ${readyMs.toFixed(0).padStart(9)} ${readyCpuMs.toFixed(0).padStart(8)} ${idleMb.toFixed(0).padStart(9)}`,
    )
  console.log('\ncommand of the package   CPU ms   files')
  for (const [name, ms] of Object.entries(cpuMs))
    console.log(
      `${(name === 'node' ? 'bare Node' : name).padEnd(24)} ${ms.toFixed(0).padStart(6)} ${String(files[name] ?? '-').padStart(7)}`,
    )
  console.log(
    `${'start'.padEnd(24)} ${starts['package']!.readyCpuMs.toFixed(0).padStart(6)} ${String(files['start']).padStart(7)}`,
  )
}
