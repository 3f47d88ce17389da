/**
 * Measures the work before a call: load the history from the store, assemble, serialise. The floor is the part that
 * every implementation needs: `JSON.parse` of the rows in the request and `JSON.stringify` of the request.
 *
 *   npm run bench:assembly [-- RUNS] [--record]
 *
 * A turn has a question of 60 to 560 characters and an answer of 300 to 2,300. Three in ten call a tool, whose output has
 * 300 to 8,300. "first" is a call between two cuts that reads all of its history, as after a restart. "steady" continues
 * from the previous call, as nearly all calls do. "cut" is the call that no longer fits and cuts its history down to the
 * low-water mark, with nothing in the cache. Its floor parses the rows that fill the window.
 */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { performance } from 'node:perf_hooks'
import { assemble, type Assembly, type Cut, layoutOf, type Message, tokenx } from '../src/context.ts'
import { createTurnCache, loadHistory, type TurnCache } from '../src/runtime/calls/history-loader.ts'
import { rememberCounts } from '../src/runtime/models/counters.ts'
import { tokenCounts } from '../src/runtime/calls/turn-projection.ts'
import { type EntryBody, openStore, type SessionStore } from '../src/session.ts'
import { systemClock } from '../src/platform.ts'
import { type Figure, keepFigures } from './history.ts'
import { givenNumber, median } from './measures.ts'

const SIZES = [100, 1_000, 10_000, 100_000]
const WINDOWS = [8_000, 128_000]
const TIME = '2026-11-01T09:00:00.000Z'
const layers = [{ id: 'you', layer: 'system-prompt', renditions: [{ form: 'full', text: words(600) }] }]

/** As in the gateway, the system prompt is counted once and not at every step. */
const counter = rememberCounts(tokenx)

const runs = givenNumber(15)

const home = mkdtempSync(join(tmpdir(), 'foreword-bench-'))
const figures: Record<string, Figure> = {}
const store = await openStore({ clock: systemClock, path: join(home, 'bench.sqlite') })
try {
  for (const size of SIZES) await fill(store, size)
  console.log(`Medians of ${runs} runs in ms, with tool calls in 30 % of the turns.`)
  console.log('window  messages  call     loaded  kept  load  assemble  serialise  whole  floor  ratio')
  for (const window of WINDOWS) {
    for (const size of SIZES) {
      const cutting = await measure(window, size, undefined)
      const first = cutting.cut ? await measure(window, size, cutting.cut) : cutting
      const steady = await measure(window, size, cutting.cut, createTurnCache())
      for (const [kind, measured] of Object.entries({ first, steady, ...(cutting.cut ? { cut: cutting } : {}) })) {
        console.log(row(window, size, kind, measured))
        const { whole: value, floor: beside } = measured
        if (size === SIZES.at(-1) && window === WINDOWS.at(-1))
          figures[`${kind}, 100,000 messages, 128k, ms`] = { value, beside }
      }
    }
  }
  keepFigures('bench:assembly', figures)
} finally {
  await store.close()
  rmSync(home, { recursive: true })
}

interface Measured {
  readonly cut: Cut | undefined
  readonly loaded: number
  readonly kept: number
  readonly load: number
  readonly assemble: number
  readonly serialise: number
  readonly whole: number
  readonly floor: number
}

async function measure(window: number, size: number, cut: Cut | undefined, cache?: TurnCache): Promise<Measured> {
  const times = { load: [] as number[], assemble: [] as number[], serialise: [] as number[], whole: [] as number[] }
  const floors: number[] = []
  let last = await call(window, size, cut, cache)
  const rows = await rowsThatFit(last.assembly, window, size, cut)
  for (let run = 0; run < runs + 3; run++) {
    last = await call(window, size, cut, cache)
    const begin = performance.now()
    for (const text of rows) JSON.parse(text)
    JSON.stringify(last.assembly.request)
    const floor = performance.now() - begin
    if (run < 3) continue
    floors.push(floor)
    for (const part of ['load', 'assemble', 'serialise', 'whole'] as const) times[part].push(last[part])
  }
  return {
    cut: last.assembly.manifest.cut,
    loaded: last.messages.length,
    kept: last.assembly.request.messages.length,
    load: median(times.load),
    assemble: median(times.assemble),
    serialise: median(times.serialise),
    whole: median(times.whole),
    floor: median(floors),
  }
}

async function call(window: number, size: number, cut: Cut | undefined, cache: TurnCache | undefined) {
  const layout = layoutOf('auto')
  const budget = { window, reserve: 1_000 }
  const current = { id: 'now', messages: [{ message: { role: 'user', content: 'And now?' } as const }] }

  const begin = performance.now()
  const limit = window - budget.reserve
  const { turns, earlier } = await loadHistory(store, {
    session: `s${size}`,
    current: undefined,
    limit,
    cut,
    layout,
    counter,
    cache,
  })
  const loaded = performance.now()
  const given = { layout, layers, history: turns, current, budget, counter }
  const assembly = assemble({ ...given, ...(cut ? { cut } : {}), ...(earlier ? { earlier } : {}) })
  const assembled = performance.now()
  JSON.stringify(assembly.request)
  const end = performance.now()
  return {
    assembly,
    messages: turns.flatMap((turn) => turn.messages),
    load: loaded - begin,
    assemble: assembled - loaded,
    serialise: end - assembled,
    whole: end - begin,
  }
}

/** The stored rows of the turns in the request or, for a cut, of the turns that fill the window. */
async function rowsThatFit({ manifest }: Assembly, window: number, size: number, cut: Cut | undefined) {
  const { turns } = await store.recentTurns(`s${size}`, { limit: window })
  const standing = new Set(manifest.entries.filter((entry) => entry.tokens > 0).map((entry) => entry.id))
  let tokens = 0
  const fitting = turns.toReversed().filter(({ row: { turn, tokens: own } }) => {
    tokens += own
    return cut ? standing.has(turn) : tokens <= window
  })
  return fitting.flatMap(({ messages }) => messages.map((stored) => JSON.stringify(stored)))
}

function row(window: number, size: number, kind: string, measured: Measured): string {
  const { loaded, kept, load, assemble: put, serialise, whole, floor } = measured
  const columns = [
    String(window).padStart(6),
    String(size).padStart(8),
    ` ${kind.padEnd(6)}`,
    String(loaded).padStart(7),
    String(kept).padStart(5),
    load.toFixed(2).padStart(5),
    put.toFixed(2).padStart(9),
    serialise.toFixed(2).padStart(10),
    whole.toFixed(2).padStart(6),
    floor.toFixed(2).padStart(6),
    (whole / floor).toFixed(2).padStart(6),
  ]
  return columns.join(' ')
}

/** One session with this number of messages, in turns of two or, three times in ten, four messages. */
async function fill(into: SessionStore, size: number): Promise<void> {
  const session = `s${size}`
  let bodies: EntryBody[] = [{ type: 'session-start' }]
  let messages = 0
  for (let turn = 1; messages < size; turn++) {
    const said = turnMessages(turn)
    messages += said.length
    bodies.push(...entriesOf(`t${turn}`, said))
    if (bodies.length < 2_000 && messages < size) continue
    await into.append(session, bodies, TIME)
    bodies = []
  }
}

function entriesOf(turn: string, [input, ...answers]: readonly Message[]): readonly EntryBody[] {
  const counted = (message: Message) => ({ turn, message, tokens: tokenCounts(tokenx, message) })
  return [
    { type: 'input', ...counted(input!) },
    { type: 'turn-start', turn },
    ...answers.map((message): EntryBody => ({ type: 'message', ...counted(message) })),
    { type: 'turn-end', turn, outcome: { type: 'completed' } },
  ]
}

function turnMessages(turn: number): readonly Message[] {
  const user: Message = { role: 'user', content: words(60 + ((turn * 37) % 500)) }
  const answer: Message = { role: 'assistant', content: words(300 + ((turn * 191) % 2_000)) }
  if (turn % 10 >= 3) return [user, answer]
  const toolCallId = `call-${turn}`
  const value = words(300 + ((turn * 613) % 8_000))
  return [
    user,
    {
      role: 'assistant',
      content: [{ type: 'tool-call', toolCallId, toolName: 'search', input: { query: words(30) } }],
    },
    {
      role: 'tool',
      content: [{ type: 'tool-result', toolCallId, toolName: 'search', output: { type: 'text', value } }],
    },
    answer,
  ]
}

function words(length: number): string {
  return 'The north wind and the sun disputed which was the stronger, "you or I?" '
    .repeat(Math.ceil(length / 72))
    .slice(0, length)
}
