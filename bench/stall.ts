/**
 * Measures how long texts and attacks block other work: the longest pause of the event loop of the gateway while one passes
 * through it, compared with an idle process on the same machine at the same time; the slowest answer of `/health`; and how
 * much larger the memory of the gateway is afterwards.
 *
 *   npm run bench:stall [-- CASE…]
 */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { openSqliteSearch } from '../src/search.ts'
import { exportSession, importSession, openStore } from '../src/session.ts'
import { type Child, startChild } from './gateway/child.ts'
import { ATTACKS, attackers, CALLS, unfoldingPdfs } from './stall/attacks.ts'
import { longPdf } from './stall/long-pdf.ts'
import { longText } from './stall/long-text.ts'
import { type Pause, watchPauses } from './stall/pauses.ts'
import { systemClock } from '../src/platform.ts'

const MEGABYTE = 1_000_000
const here = import.meta.dirname
const wanted = process.argv.slice(2)
const home = mkdtempSync(join(tmpdir(), 'foreword-bench-'))
process.on('exit', () => rmSync(home, { recursive: true, force: true }))
const watched = ['--import', join(here, 'stall/watched.ts')]
const idle = await startChild([...watched, join(here, 'stall/idle.ts')])
const provider = await startChild([join(here, 'stall/provider.ts')])
const nodeArguments = (process.env['BENCH_NODE_ARGS'] ?? '--max-semi-space-size=4').split(' ')
const token = 'bench-of-long-texts-and-pauses'
let { gateway, base, health } = await startGateway('usual', ['print'])
const authorization = { authorization: `Bearer ${token}` }

console.log(
  'case                                     time   longest pause       work   idle process    /health    memory      peak',
)
// Compilation at the first use must not count as a pause.
await turn(undefined, 'call 30000')
await completion('hello')
const long = await measured('10 MB answer', () => turn(undefined, `say ${10 * MEGABYTE}`))
if (long) await measured('the turn after it', () => turn(long, 'hello'))
await measured('10 MB answer, /v1', () => completion(`say ${10 * MEGABYTE}`))
await measured('10 MB tool result', () => turn(undefined, `call ${10 * MEGABYTE}`))
const pasted = await measured('2 MB message', () => turn(undefined, longText(2 * MEGABYTE - 10)))
if (pasted) await measured('the turn after it', () => turn(pasted, 'hello'))
await measured('10 MB message, /v1', () => completion(longText(10 * MEGABYTE)))
await measured('3 MB text file', async () => attached(await upload('log.md', Buffer.from(longText(3 * MEGABYTE)))))
await measured('20 MB PDF', async () => attached(await upload('long.pdf', longPdf(20 * MEGABYTE, 3_500_000))))
await measured('50 MB upload', () => upload('wide.txt', Buffer.from(longText(50 * MEGABYTE))))

if (Object.values(ATTACKS).some(isWanted)) {
  await health.stop()
  await gateway.stop()
  ;({ gateway, base, health } = await startGateway('attacked', ['heavy__slow', 'noisy__change', 'shell', 'read_file'], {
    ...attackers(home),
  }))
  // Compilation at the first use must not count as a pause here either.
  for (const server of ['heavy', 'many', 'noisy', 'large']) await restarted(server)
  await turn(undefined, CALLS.backtracking.replace('20', '1'))
  await turn(undefined, `use 1 shell ${JSON.stringify({ cmd: 'sh -c true' })}`)
  await attached(await upload('a.pdf', longPdf(1000, 100, 1)))
  const path = '/through/bench/v1/chat/completions'
  await succeeded(
    await posting(path, JSON.stringify({ model: 'm', messages: [{ role: 'user', content: 'hello' }] })),
    String,
  )
  await measured(ATTACKS.backtracking, () => turn(undefined, CALLS.backtracking))
  await measured(ATTACKS.schemas, () => restarted('many'))
  await measured(ATTACKS.pdfs, unfolded)
  if (isWanted(ATTACKS.fileBehind)) {
    const unfolding = unfolded()
    await sleep(500)
    await measured(ATTACKS.fileBehind, () => upload('plain.txt', Buffer.from('plain')))
    await unfolding
  }
  await measured(ATTACKS.path, () => turn(undefined, CALLS.path))
  await measured(ATTACKS.programs, () => turn(undefined, CALLS.programs))
  await measured(ATTACKS.fork, () => turn(undefined, CALLS.fork))
  await measured(ATTACKS.changes, () => turn(undefined, CALLS.changes))
  await measured(ATTACKS.large, () => turn(undefined, 'hello'))
  const wide = JSON.stringify({ model: 'm', messages: [{ role: 'user', content: 'x'.repeat(60 * MEGABYTE) }] })
  await measured(ATTACKS.bodies, async () => {
    const answers = await Promise.all(Array.from({ length: 8 }, () => posting(path, wide)))
    await Promise.all(answers.map((answer) => answer.text()))
  })
  const messages = Array.from({ length: 100_000 }, (_, at) => ({
    role: at % 2 ? 'assistant' : 'user',
    content: 'hello',
  }))
  messages.push({ role: 'user', content: 'hello' })
  await measured(ATTACKS.messages, async () => {
    await (await posting('/v1/chat/completions', JSON.stringify({ model: 'foreword', messages }))).text()
  })
  await measured(ATTACKS.tokens, () =>
    Promise.all(
      Array.from({ length: 1000 }, async (_, at) => {
        const headers = { authorization: `Bearer wrong-${at}` }
        // Some wait longer than anybody would.
        await fetch(`${base}/api/status`, { headers, signal: AbortSignal.timeout(5_000) }).catch(() => {})
      }),
    ),
  )
}
await health.stop()
await gateway.stop()

await inProcess('export, 100,000 messages', async () => {
  const store = await openStore({ clock: systemClock, path: join(home, 'export.sqlite') })
  for (let at = 0; at < 50_000; at += 1000) await store.transaction(turnsFrom(at, 1000))
  const lines: string[] = []
  return {
    work: async () => {
      for await (const line of exportSession(store, 'a')) lines.push(line)
      const other = await openStore({ clock: systemClock, path: join(home, 'import.sqlite') })
      return { close: () => (store.close(), other.close()), next: async () => void (await importSession(other, lines)) }
    },
    next: 'import of it',
  }
})
await inProcess('index, 20 MB text', async () => {
  const engine = await openSqliteSearch({ clock: systemClock, path: join(home, 'search.sqlite') })
  const text = longText(20 * MEGABYTE)
  return {
    work: async () => {
      await engine.index({ id: 'a', title: 'a', collections: ['c'], digest: 'd', text })
      return { close: () => engine.close() }
    },
  }
})

await idle.stop()
await provider.stop()

/** A gateway with a home of its own. */
async function startGateway(name: string, allowedTools: readonly string[], servers: object = {}) {
  const own = join(home, name)
  mkdirSync(own)
  writeFileSync(
    join(own, 'config.json'),
    JSON.stringify({
      gateway: { port: 0, token, maxBodyBytes: 32 * MEGABYTE },
      model: 'bench/m',
      providers: { bench: { kind: 'openai-compatible', baseURL: `http://127.0.0.1:${provider.line}/v1` } },
      models: { 'bench/m': { window: 40_000_000, maxOutput: 10_000_000 } },
      context: { reserve: 10_000_000 },
      files: { maxTokens: 20_000_000 },
      mcp: { servers },
      plugins: [join(here, 'stall/print-plugin.ts')],
    }),
  )
  const tools = { '*': { afterUntrusted: 'allow' } }
  const shell = { enabled: true, allowedPrefixes: ['sh'], approval: 'never' }
  const access = { global: { mode: 'allowlist', allowedTools }, tools: { ...tools, shell } }
  writeFileSync(join(own, 'tool-access.json'), JSON.stringify(access))
  const program = [join(here, '../bin/foreword.js'), 'start', '--json', '--home', own]
  const started = await startChild([...nodeArguments, ...watched, ...program])
  const address = `http://127.0.0.1:${(JSON.parse(started.line) as { port: number }).port}`
  return { gateway: started, base: address, health: await startChild([join(here, 'stall/health.ts'), address]) }
}

/** Connects to an MCP server again, and waits until its tools are read. */
async function restarted(server: string): Promise<void> {
  await posted(`/api/mcp-servers/${server}/restart`, {})
}

function isWanted(name: string): boolean {
  return wanted.length === 0 || wanted.some((word) => name.includes(word))
}

/** Measures the gateway process. */
async function measured<Result>(name: string, work: () => Promise<Result>): Promise<Result | undefined> {
  if (!isWanted(name)) return undefined
  await Promise.all([gateway, idle, health].map((each) => ask(each, 'reset')))
  const resident = gateway.resident()
  gateway.peak()
  const began = performance.now()
  const result = await work()
  // Work after the answer, such as indexing, is included.
  await sleep(1000)
  const took = performance.now() - began - 1000
  row(name, took, await ask(gateway, 'longest'), await ask(idle, 'longest'), {
    healthMs: (await ask(health, 'longest')).ms,
    grownMb: gateway.resident() - resident,
    peakMb: gateway.peak(),
  })
  return result
}

interface Prepared {
  readonly next?: string
  work(): Promise<{ close(): unknown; next?(): Promise<void> }>
}

/** Measures this process, for commands that work without the gateway. */
async function inProcess(name: string, prepare: () => Promise<Prepared>): Promise<void> {
  if (!isWanted(name)) return
  const watch = watchPauses()
  const timed = async <Result>(title: string, work: () => Promise<Result>): Promise<Result> => {
    await ask(idle, 'reset')
    await sleep(10)
    watch.reset()
    const began = performance.now()
    const result = await work()
    row(title, performance.now() - began, watch.longest(), await ask(idle, 'longest'))
    return result
  }
  const { work, next } = await prepare()
  const done = await timed(name, work)
  if (next && done.next) await timed(next, done.next)
  watch.stop()
  await done.close()
}

function row(
  name: string,
  took: number,
  { ms, workedMs }: Pause,
  floor: Pause,
  ofGateway?: { readonly healthMs: number; readonly grownMb: number; readonly peakMb: number },
): void {
  const columns = [name.padEnd(34), seconds(took).padStart(10), inMs(ms).padStart(15), inMs(workedMs).padStart(10)]
  if (ofGateway)
    console.log(
      [
        ...columns,
        inMs(floor.ms).padStart(14),
        inMs(ofGateway.healthMs).padStart(10),
        `${ofGateway.grownMb.toFixed(0)} MB`.padStart(9),
        `${ofGateway.peakMb.toFixed(0)} MB`.padStart(9),
      ].join(' '),
    )
  else console.log(`${columns.join(' ')} ${inMs(floor.ms).padStart(14)}`)
}

function seconds(ms: number): string {
  return `${(ms / 1000).toFixed(1)} s`
}

function inMs(ms: number): string {
  return `${ms.toFixed(0)} ms`
}

function ask(child: Child, order: 'reset' | 'longest'): Promise<Pause> {
  return new Promise((resolve) => {
    child.process.once('message', (pause) => resolve(pause as Pause))
    child.process.send(order)
  })
}

/** Sends a message and reads every event until the turn ends. Returns the session. */
async function turn(session: string | undefined, text: string, attachments?: readonly string[]): Promise<string> {
  const said = (await posted('/api/messages', { text, session, attachments })) as { session: string; turn: string }
  const events = await fetch(`${base}/api/sessions/${said.session}/events?turn=${said.turn}`, {
    headers: authorization,
  })
  let tail = ''
  for await (const piece of events.body!) tail = (tail + Buffer.from(piece).toString('latin1')).slice(-500)
  if (!tail.includes('"completed"')) throw new Error(`The turn was not completed: ${tail}`)
  return said.session
}

async function completion(text: string): Promise<void> {
  const messages = [{ role: 'user', content: text }]
  await posted('/v1/chat/completions', { model: 'foreword', messages })
}

async function upload(name: string, bytes: Buffer): Promise<string> {
  const form = new FormData()
  form.append('file', new Blob([new Uint8Array(bytes)]), name)
  const response = await fetch(`${base}/api/files`, { method: 'POST', headers: authorization, body: form })
  const { files } = (await succeeded(response)) as { files: readonly { id: string }[] }
  const { id } = files[0]!
  for (;;) {
    const file = await succeeded(await fetch(`${base}/api/files/${id}?wait=60000`, { headers: authorization }))
    if ((file as { state: { type: string } }).state.type !== 'processing') return id
  }
}

/** Runs the first turn with a file. */
async function attached(file: string): Promise<void> {
  await turn(undefined, 'hello', [file])
}

async function unfolded(): Promise<void> {
  await Promise.all(unfoldingPdfs(4).map((file, n) => upload(`${n}.pdf`, file)))
}

async function posted(path: string, body: unknown): Promise<unknown> {
  return succeeded(await posting(path, JSON.stringify(body)))
}

function posting(path: string, body: string): Promise<Response> {
  const headers = { ...authorization, 'x-foreword-token': token, 'content-type': 'application/json' }
  return fetch(`${base}${path}`, { method: 'POST', headers, body })
}

async function succeeded(response: Response, read: (text: string) => unknown = JSON.parse): Promise<unknown> {
  const text = await response.text()
  if (!response.ok) throw new Error(`${response.status}: ${text.slice(0, 500)}`)
  return read(text)
}

function turnsFrom(first: number, count: number) {
  const time = '2026-11-22T10:00:00.000Z'
  const tokens = { counter: 'tokenx@2', full: 30, least: 30 }
  const bodies = Array.from({ length: count }, (_, index) => {
    const id = `t${first + index}`
    return [
      { type: 'input', turn: id, message: { role: 'user', content: longText(100) }, tokens },
      { type: 'message', turn: id, call: `c${id}`, message: { role: 'assistant', content: longText(400) }, tokens },
      { type: 'turn-end', turn: id, outcome: { type: 'completed' } },
    ] as const
  }).flat()
  const start = first === 0 ? [{ type: 'session-start' } as const] : []
  return [{ type: 'append', session: 'a', bodies: [...start, ...bodies], time } as const]
}
