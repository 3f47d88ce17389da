/**
 * Measures how long the usage of many calls takes to add up, and how long other work waits meanwhile.
 *
 *   npm run bench:usage [-- CALLS]
 */
import { mkdtemp, rm, stat } from 'node:fs/promises'
import { monitorEventLoopDelay } from 'node:perf_hooks'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { ManifestEntry } from '../src/context.ts'
import { sessionCosts } from '../src/capabilities/costs/cost-report.ts'
import { createRunningSums } from '../src/runtime/running-sums.ts'
import { usageReport } from '../src/capabilities/costs/usage-report.ts'
import { type CallRecord, openStore, type Write } from '../src/session.ts'
import { systemClock } from '../src/platform.ts'

const calls = Number(process.argv[2] ?? 100_000)
const SESSIONS = 200
const TOOLS = 25
const TURNS = 40

const folder = await mkdtemp(join(tmpdir(), 'foreword-usage-'))
const path = join(folder, 'foreword.sqlite')
try {
  let store = await openStore({ clock: systemClock, path })
  for (let session = 0; session < SESSIONS; session += 1) {
    await store.append(`s${session}`, [{ type: 'session-start', title: `Session ${session}` }], timeOf(0))
  }
  for (let from = 0; from < calls; from += 500) {
    const numbers = Array.from({ length: Math.min(500, calls - from) }, (_, index) => from + index)
    await store.transaction(numbers.map((number): Write => ({ type: 'call', record: record(number) })))
  }
  await measured('1,000 calls put and finished', async () => {
    const { outcome, ...announced } = record(0)
    for (let from = 0; from < 1_000; from += 50) {
      const ids = Array.from({ length: 50 }, (_, index) => `put_${from + index}`)
      await store.transaction(ids.map((id): Write => ({ type: 'call', record: { ...announced, id } })))
      await store.transaction(ids.map((id): Write => ({ type: 'call-outcome', id, outcome: outcome! })))
    }
  })
  console.log(`${calls.toLocaleString('en')} calls, ${((await stat(path)).size / 1e6).toFixed(0)} MB`)
  await measured('opened, up to date', async () => {
    await store.close()
    store = await openStore({ clock: systemClock, path })
  })
  for (const by of ['day', 'model', 'session', 'layer', 'tool'] as const) {
    const report = () =>
      usageReport({ store, priceOf: async () => ({ input: 3, output: 15 }) }, { by, zone: 'Europe/Berlin' })
    await measured(`by ${by}`, report)
  }
  const sums = createRunningSums({ store, priceOf: async () => ({ input: 3, output: 15 }) })
  // Some of the calls are of a time that is still to come.
  await sums.read()
  await measured('a read of /metrics, nothing new', () => sums.read())
  const { outcome, ...announced } = record(0)
  for (let number = 0; number < 100; number += 1) {
    await store.putCall({ ...announced, id: `new_${number}`, time: systemClock.time() })
    await store.finishCall(`new_${number}`, outcome!)
  }
  await measured('a read of /metrics after 100 calls', () => sums.read())
  const ids = Array.from({ length: SESSIONS }, (_, session) => `s${session}`)
  await measured(`what each of ${SESSIONS} sessions cost`, () =>
    sessionCosts({ store, priceOf: async () => ({ input: 3, output: 15 }) }, ids),
  )
  await store.close()
} finally {
  await rm(folder, { recursive: true, force: true })
}

async function measured(name: string, work: () => Promise<unknown>): Promise<void> {
  const delay = monitorEventLoopDelay({ resolution: 1 })
  delay.enable()
  const began = performance.now()
  await work()
  const took = performance.now() - began
  await new Promise((resolve) => setTimeout(resolve, 20))
  delay.disable()
  console.log(
    `${name.padEnd(40)}${took.toFixed(0).padStart(8)} ms${(delay.max / 1e6).toFixed(0).padStart(8)} ms longest pause`,
  )
}

function timeOf(number: number): string {
  return new Date(Date.UTC(2026, 0, 1) + number * 300_000).toISOString()
}

function record(number: number): CallRecord {
  const origin = { kind: 'operator', ref: 'somewhere' } as const
  const entry = (id: string, layer: string, slot: ManifestEntry['slot'], tokens: number): ManifestEntry => ({
    id,
    layer,
    slot,
    outcome: 'included',
    form: 'full',
    tokens,
    fullTokens: tokens,
    origin,
    digest: 'd'.repeat(64),
  })
  const entries = [
    ...Array.from({ length: TOOLS }, (_, index) => entry(`tool_${index}`, 'tool', 'tools', 80 + index)),
    ...['prompt', 'instructions', 'skills', 'memory', 'date'].map((layer) => entry(layer, layer, 'system', 300)),
    ...Array.from({ length: TURNS }, (_, index) =>
      entry(`turn-${number - index}`, 'turn', 'history', 100 + (number % 97)),
    ),
    entry(`turn-${number}`, 'turn', 'input', 40 + (number % 13)),
  ]
  return {
    id: `call_${number}`,
    session: `s${number % SESSIONS}`,
    time: timeOf(number),
    model: `provider/model-${number % 5}`,
    input: { layers: [] },
    manifest: {
      version: 1,
      layout: 'auto',
      counter: { id: 'tokenx', version: '2' },
      budget: { window: 32_000, reserve: 2_000, margin: 0, available: 30_000 },
      used: entries.reduce((sum, { tokens }) => sum + tokens, 0),
      slots: { tools: 0, system: 0, preamble: 0, history: 0, 'before-input': 0, input: 0, 'after-input': 0 },
      entries,
      displaced: 0,
    },
    requestDigest: 'e'.repeat(64),
    outcome: {
      durationMs: 1_000,
      usage: {
        promptTokens: 9_000 + (number % 1_000),
        cachedTokens: 6_000,
        cacheWrittenTokens: undefined,
        outputTokens: 300,
        reasoningTokens: undefined,
      },
    },
  }
}
